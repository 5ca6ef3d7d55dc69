#include "rtecho_host/campaign_file.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <string_view>

#include "rt_core/run_plan.hpp"
#include "rtecho_host/exit_codes.hpp"
#include "strict_table.hpp"

namespace rtecho::host {
namespace {

constexpr std::int64_t count_max = 1'000'000'000;
constexpr std::int64_t repetitions_max = 1'000;
constexpr std::int64_t run_limit_max_s = 7 * 24 * 3'600;
constexpr std::int64_t mtu_max = 65'535;

// What the campaign itself says to the programs: said twice, the run would not be the planned one.
constexpr std::array<std::string_view, 4> options_of_servers{"--netns", "--bind", "--ready-fd", "--for"};
constexpr std::array<std::string_view, 7> options_of_clients{"--netns", "--protocol", "--sizes", "--count",
                                                             "--for",   "--label",    "--out"};

const toml::table* table_under(StrictTable& reader, std::string_view key) {
  const toml::node* node = reader.any(key);
  if (node != nullptr && !node->is_table()) {
    reader.refuse(*node, fmt::format("{} must be a table: [{}]", key, key));
  }
  return node == nullptr ? nullptr : node->as_table();
}

template <std::size_t size>
std::vector<std::string> read_options(StrictTable& reader, std::string_view key,
                                      const std::array<std::string_view, size>& reserved) {
  std::vector<std::string> options = reader.texts(key).value_or(std::vector<std::string>());
  for (const std::string& option : options) {
    const std::string_view name = std::string_view(option).substr(0, option.find('='));
    if (std::find(reserved.begin(), reserved.end(), name) != reserved.end()) {
      reader.refuse(key, fmt::format("{} must not hold {}: the campaign sets it", key, name));
    }
  }
  return options;
}

// The name becomes part of file names, and the table of `compare` has a column for it.
void validate_variant_name(const StrictTable& reader, const std::string& name) {
  constexpr std::size_t name_max = 32;
  const auto is_plain = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
  };
  if (name.empty() || name.size() > name_max || !std::all_of(name.begin(), name.end(), is_plain)) {
    reader.refuse("name", fmt::format("name '{}': use 1 to {} small letters, digits and '_'", name, name_max));
  }
}

Variant read_variant(const toml::table& table, const std::string& file) {
  StrictTable reader(table, "[[variant]]", file);
  Variant variant;
  variant.name = reader.required("name", reader.text("name"));
  validate_variant_name(reader, variant.name);
  variant.program = reader.required("program", reader.text("program"));
  if (variant.program != "rtecho" && variant.program != "rtecho-gpos") {
    reader.refuse("program", fmt::format("program '{}': it is rtecho or rtecho-gpos", variant.program));
  }
  variant.server_options = read_options(reader, "server_options", options_of_servers);
  variant.client_options = read_options(reader, "client_options", options_of_clients);
  reader.refuse_unknown_keys();
  return variant;
}

std::vector<Variant> read_variants(StrictTable& reader, const std::string& file) {
  const toml::node* node = reader.any("variant");
  if (node == nullptr || !node->is_array_of_tables()) {
    reader.refuse("variant", "a campaign needs at least one [[variant]]");
  }
  std::vector<Variant> variants;
  for (const toml::node& entry : *node->as_array()) {
    Variant variant = read_variant(*entry.as_table(), file);
    const auto has_same_name = [&](const Variant& earlier) { return earlier.name == variant.name; };
    if (std::any_of(variants.begin(), variants.end(), has_same_name)) {
      reader.refuse(entry, fmt::format("variant '{}' is there twice", variant.name));
    }
    variants.push_back(std::move(variant));
  }
  return variants;
}

void read_link(const toml::table* table, const std::string& file, Campaign& campaign) {
  if (table == nullptr) {
    return;
  }
  StrictTable reader(*table, "[link]", file);
  LinkOptions& link = campaign.link;
  campaign.makes_link = reader.boolean("up").value_or(campaign.makes_link);
  link.a.network_namespace = reader.text("namespace_a").value_or(link.a.network_namespace);
  link.b.network_namespace = reader.text("namespace_b").value_or(link.b.network_namespace);
  link.a.interface = reader.text("interface_a").value_or(link.a.interface);
  link.b.interface = reader.text("interface_b").value_or(link.b.interface);
  link.a.address = reader.text("address_a").value_or(link.a.address);
  link.b.address = reader.text("address_b").value_or(link.b.address);
  link.mtu = static_cast<int>(reader.integer("mtu", 0, mtu_max).value_or(link.mtu));
  reader.refuse_unknown_keys();
  try {
    validate(link);
  } catch (const ProgramFailure& failure) {
    reader.refuse(*table, fmt::format("[link]: {}", failure.what()));
  }
}

std::vector<Protocol> read_protocols(StrictTable& reader) {
  std::vector<Protocol> protocols;
  for (const std::string& name : reader.required("protocols", reader.texts("protocols"))) {
    const auto found = std::find_if(all_protocols.begin(), all_protocols.end(),
                                    [&name](Protocol known) { return name == name_of(known); });
    if (found == all_protocols.end()) {
      reader.refuse("protocols", fmt::format("protocol '{}': it is udp, tcp or eth", name));
    }
    const Protocol protocol = *found;
    if (std::find(protocols.begin(), protocols.end(), protocol) != protocols.end()) {
      reader.refuse("protocols", fmt::format("protocol '{}' is there twice", name));
    }
    protocols.push_back(protocol);
  }
  if (protocols.empty()) {
    reader.refuse("protocols", "protocols must name at least one");
  }
  return protocols;
}

std::vector<std::uint32_t> read_sizes(StrictTable& reader, const std::vector<Protocol>& protocols) {
  const toml::node* node = reader.any("sizes");
  if (node != nullptr && node->is_string()) {
    if (node->value<std::string>() != "rtx") {
      reader.refuse(*node, "sizes must be a list of bytes, or \"rtx\"");
    }
    return {};
  }
  std::uint32_t largest = message_bytes_max(protocols.front());
  for (const Protocol protocol : protocols) {
    largest = std::min(largest, message_bytes_max(protocol));
  }
  const auto values = reader.required("sizes", reader.integers("sizes", 1, largest));
  std::vector<std::uint32_t> sizes;
  for (const std::int64_t value : values) {
    const auto size = static_cast<std::uint32_t>(value);
    if (std::find(sizes.begin(), sizes.end(), size) != sizes.end()) {
      reader.refuse("sizes", fmt::format("size {} is there twice", size));
    }
    sizes.push_back(size);
  }
  if (sizes.empty()) {
    reader.refuse("sizes", "sizes must name at least one");
  }
  return sizes;
}

bool read_load(StrictTable& reader) {
  const std::string load = reader.required("load", reader.text("load"));
  if (load != "none" && load != "default") {
    reader.refuse("load", fmt::format("load '{}': it is none or default", load));
  }
  return load == "default";
}

void read_compare(const toml::table* table, const std::string& file, Campaign& campaign) {
  if (table == nullptr) {
    return;
  }
  StrictTable reader(*table, "[compare]", file);
  campaign.compares = true;
  campaign.comparison_reference = reader.text("reference");
  if (campaign.comparison_reference && *campaign.comparison_reference != "rtx") {
    reader.refuse("reference", fmt::format("reference '{}': the only one is rtx", *campaign.comparison_reference));
  }
  reader.refuse_unknown_keys();
  if (campaign.variants.size() < 2) {
    reader.refuse(*table, "[compare] needs two variants");
  }
}

void read_bounds(const toml::table* table, const std::string& file, Campaign& campaign) {
  if (table == nullptr) {
    return;
  }
  StrictTable reader(*table, "[bounds]", file);
  const auto check_is_variant = [&](std::string_view key, const std::string& name) {
    const auto has_name = [&](const Variant& variant) { return variant.name == name; };
    if (std::none_of(campaign.variants.begin(), campaign.variants.end(), has_name)) {
      reader.refuse(key, fmt::format("{} '{}': there is no such variant", key, name));
    }
  };
  BoundsCheck bounds;
  bounds.file = reader.required("file", reader.text("file"));
  bounds.variant = reader.required("variant", reader.text("variant"));
  check_is_variant("variant", bounds.variant);
  bounds.baseline = reader.text("baseline");
  if (bounds.baseline) {
    check_is_variant("baseline", *bounds.baseline);
    if (*bounds.baseline == bounds.variant) {
      reader.refuse("baseline", "baseline and variant are the same");
    }
  }
  reader.refuse_unknown_keys();
  campaign.bounds = std::move(bounds);
}

toml::table parse_toml(const std::string& text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw ProgramFailure(ExitCode::usage,
                         fmt::format("{}:{}: {}", file, error.source().begin.line, error.description()));
  }
}

}  // namespace

Campaign parse_campaign(const std::string& text, const std::string& file) {
  const toml::table root = parse_toml(text, file);
  StrictTable reader(root, "the campaign", file);
  Campaign campaign;
  read_link(table_under(reader, "link"), file, campaign);
  campaign.variants = read_variants(reader, file);
  campaign.protocols = read_protocols(reader);
  campaign.sizes = read_sizes(reader, campaign.protocols);
  campaign.count = static_cast<std::uint64_t>(reader.required("count", reader.integer("count", 1, count_max)));
  campaign.repetitions =
      static_cast<std::uint32_t>(reader.required("repetitions", reader.integer("repetitions", 1, repetitions_max)));
  campaign.has_load = read_load(reader);
  if (const auto limit = reader.integer("run_limit_s", 1, run_limit_max_s)) {
    campaign.run_limit = std::chrono::seconds(*limit);
  }
  read_compare(table_under(reader, "compare"), file, campaign);
  read_bounds(table_under(reader, "bounds"), file, campaign);
  reader.refuse_unknown_keys();
  return campaign;
}

}  // namespace rtecho::host

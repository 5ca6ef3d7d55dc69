#include "report/bounds.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "report/text_file.hpp"

namespace rtecho::report {
namespace {

struct KnownLimit {
  std::string_view key;
  Quantity quantity;
  bool is_count;  // a whole number of things
};

constexpr std::array<KnownLimit, 9> known_limits{{
    {"lost", Quantity::lost, true},
    {"max_us", Quantity::maximum, false},
    {"resume_max_us", Quantity::resume_maximum, false},
    {"jitter_us", Quantity::jitter, false},
    {"max_over_min", Quantity::maximum_over_minimum, false},
    {"max_vs_baseline", Quantity::maximum_vs_baseline, false},
    {"heap_allocations", Quantity::heap_allocations, true},
    {"faults", Quantity::faults, true},
    {"voluntary_switches", Quantity::voluntary_switches, true},
}};

// Fills a Bounds; the first problem ends it.
class BoundsReader {
 public:
  explicit BoundsReader(std::string_view source) : source_(source) {}

  Outcome<Bounds> read(const toml::table& file) {
    std::vector<BoundRule> rules;
    rules_of(file, rules);
    if (problem_.empty() && bounds_.defaults.limits.empty() && rules.empty()) {
      problem_ = fmt::format("{}: it bounds nothing; say at least one limit, for example lost = 0", source_);
    }
    for (BoundRule& rule : rules) {
      complete(rule);
    }
    if (!problem_.empty()) {
      return Failure{FailureKind::content, problem_};
    }
    bounds_.rules = std::move(rules);
    return std::move(bounds_);
  }

 private:
  void complain(const toml::source_region& where, std::string_view what) {
    if (problem_.empty()) {
      problem_ = fmt::format("{} line {}: {}", source_, where.begin.line, what);
    }
  }

  void rules_of(const toml::table& file, std::vector<BoundRule>& rules) {
    // [defaults] first: toml++ orders keys by name, and `bound` comes before it.
    if (const toml::node* defaults = file.get("defaults")) {
      defaults_of(*defaults);
    }
    for (const auto& [key, node] : file) {
      if (key == "bound") {
        list_of_rules(node, rules);
      } else if (key != "defaults") {
        complain(key.source(), fmt::format("unknown table or key {}; known are [defaults] and [[bound]]", key.str()));
      }
    }
  }

  void defaults_of(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      return complain(node.source(), "defaults must be a table: [defaults]");
    }
    bounds_.defaults.place = "[defaults]";
    for (const auto& [key, value] : *table) {
      if (!take_limit(key, value, bounds_.defaults)) {
        complain(key.source(), fmt::format("unknown key {} in [defaults]", key.str()));
      }
    }
  }

  void list_of_rules(const toml::node& node, std::vector<BoundRule>& rules) {
    const toml::array* list = node.as_array();
    if (list == nullptr || !list->is_homogeneous(toml::node_type::table)) {
      return complain(node.source(), "bound must be a list of tables: [[bound]]");
    }
    for (const toml::node& element : *list) {
      BoundRule rule;
      rule.place = fmt::format("[[bound]] at line {}", element.source().begin.line);
      rule.min_samples = bounds_.defaults.min_samples;
      for (const auto& [key, value] : *element.as_table()) {
        if (!take_selector(key, value, rule) && !take_limit(key, value, rule)) {
          complain(key.source(), fmt::format("unknown key {} in [[bound]]", key.str()));
        }
      }
      rules.push_back(std::move(rule));
    }
  }

  bool take_selector(const toml::key& key, const toml::node& value, BoundRule& rule) {
    if (key == "protocol") {
      const std::optional<std::string> name = value.value_exact<std::string>();
      if (!name || name->empty()) {
        complain(value.source(), "protocol must be a string such as \"udp\", or \"all\"");
      } else if (*name != "all") {
        rule.protocol = name;
      }
      return true;
    }
    if (key == "message_bytes") {
      take_sizes(value, rule);
      return true;
    }
    return false;
  }

  void take_sizes(const toml::node& value, BoundRule& rule) {
    if (value.value_exact<std::string>() == "all") {
      return;
    }
    if (const toml::array* list = value.as_array()) {
      for (const toml::node& element : *list) {
        take_size(element, rule);
      }
      if (list->empty()) {
        complain(value.source(), "message_bytes is an empty list");
      }
      return;
    }
    take_size(value, rule);
  }

  void take_size(const toml::node& value, BoundRule& rule) {
    const std::optional<std::int64_t> bytes = value.value_exact<std::int64_t>();
    if (!bytes || *bytes < 1) {
      return complain(value.source(), "message_bytes must be a number of at least 1, a list of such, or \"all\"");
    }
    rule.message_bytes.push_back(static_cast<std::uint64_t>(*bytes));
  }

  // False where the key is none of a limit's. A wrong value is complained about, and the key is taken.
  bool take_limit(const toml::key& key, const toml::node& value, BoundRule& rule) {
    const std::string_view name = key.str();
    if (name == "min_samples") {
      rule.min_samples = static_cast<std::uint64_t>(number(name, value, true));
      return true;
    }
    const auto known =
        std::find_if(known_limits.begin(), known_limits.end(), [&](const KnownLimit& k) { return k.key == name; });
    if (known != known_limits.end()) {
      rule.limits.push_back({std::string(name), known->quantity, {}, number(name, value, known->is_count)});
      if (known->quantity == Quantity::lost) {
        rule.lost_allowed = static_cast<std::uint64_t>(rule.limits.back().value);
      }
      return true;
    }
    constexpr std::string_view unit = "_us";
    if (!name.ends_with(unit)) {
      return false;
    }
    const std::optional<Percentile> percentile = percentile_from_text(name.substr(0, name.size() - unit.size()));
    if (percentile) {
      rule.limits.push_back({std::string(name), Quantity::percentile, *percentile, number(name, value, false)});
    }
    return percentile.has_value();
  }

  double number(std::string_view name, const toml::node& value, bool is_count) {
    // Beyond 2^53 a double no longer holds every whole number; no run has that many messages.
    constexpr std::int64_t count_max = std::int64_t{1} << 53U;
    if (is_count) {
      const std::optional<std::int64_t> count = value.value_exact<std::int64_t>();
      if (!count || *count < 0 || *count > count_max) {
        complain(value.source(), fmt::format("{} must be a whole number of at least 0", name));
        return 0;
      }
      return static_cast<double>(*count);
    }
    const std::optional<double> limit = value.is_number() ? value.value<double>() : std::nullopt;
    if (!limit || !std::isfinite(*limit) || *limit < 0) {
      complain(value.source(), fmt::format("{} must be a number of at least 0", name));
      return 0;
    }
    return *limit;
  }

  // What a rule does not say itself, [defaults] says.
  void complete(BoundRule& rule) {
    for (const Limit& limit : bounds_.defaults.limits) {
      const bool said =
          std::any_of(rule.limits.begin(), rule.limits.end(), [&](const Limit& own) { return own.key == limit.key; });
      if (said) {
        continue;
      }
      rule.limits.push_back(limit);
      if (limit.quantity == Quantity::lost) {
        rule.lost_allowed = bounds_.defaults.lost_allowed;
      }
    }
    if (rule.limits.empty() && problem_.empty()) {
      problem_ = fmt::format("{}: {} bounds nothing", source_, rule.place);
    }
  }

  std::string_view source_;
  Bounds bounds_;
  std::string problem_;
};

}  // namespace

bool BoundRule::matches(const SeriesKey& key) const {
  const bool size_matches = message_bytes.empty() || std::find(message_bytes.begin(), message_bytes.end(),
                                                               key.message_bytes) != message_bytes.end();
  return size_matches && (!protocol || *protocol == key.protocol);
}

Outcome<Bounds> bounds_from_text(std::string_view text, std::string_view source) {
  try {
    return BoundsReader(source).read(toml::parse(text));
  } catch (const toml::parse_error& error) {
    return Failure{FailureKind::content,
                   fmt::format("{} line {}: {}", source, error.source().begin.line, error.description())};
  }
}

Outcome<Bounds> read_bounds(const std::string& path) {
  const Outcome<std::string> text = read_text_file(path);
  if (!text) {
    return text.failure();
  }
  return bounds_from_text(text.value(), path);
}

}  // namespace rtecho::report

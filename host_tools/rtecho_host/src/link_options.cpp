#include "rtecho_host/link_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "rtecho_host/exit_codes.hpp"

namespace rtecho::host {
namespace {

constexpr std::size_t name_max = 15;  // Linux: IFNAMSIZ without the closing zero
constexpr int mtu_min = 68;           // RFC 791
constexpr int mtu_max = 65'535;
constexpr std::uint32_t prefix_max = 30;  // two hosts, the network and its broadcast address

[[noreturn]] void refuse(const std::string& sentence) {
  throw ProgramFailure(ExitCode::usage, sentence);
}

// Narrower than the kernel's rule for interfaces: the name also becomes a file under /run/netns and an argument
// of ip, where a leading dash would be an option.
void validate_name(std::string_view what, std::string_view name) {
  const auto is_plain = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
           letter == '.' || letter == '_' || letter == '-';
  };
  if (name.empty() || name.size() > name_max) {
    refuse(fmt::format("{} '{}': a name has 1 to {} characters", what, name, name_max));
  }
  if (!std::all_of(name.begin(), name.end(), is_plain) || name.front() == '-' || name.front() == '.' ||
      name.find("..") != std::string_view::npos) {
    refuse(fmt::format("{} '{}': use letters, digits, '.', '_' and '-', no '..', and begin with none of '.' and '-'",
                       what, name));
  }
}

struct Network {
  std::uint32_t address = 0;
  std::uint32_t mask = 0;
};

// A whole number without sign and leading zeros at the beginning of `text`, which is then shortened by it. Leading
// zeros are refused because the text is later compared with what ip prints.
std::optional<std::uint32_t> take_number(std::string_view& text, std::uint32_t highest) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || number > highest || (digits > 1 && text.front() == '0')) {
    return std::nullopt;
  }
  text.remove_prefix(digits);
  return number;
}

bool take(std::string_view& text, char letter) {
  if (text.empty() || text.front() != letter) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

std::optional<Network> parse_network(std::string_view text) {
  Network network;
  for (const char before : {'\0', '.', '.', '.'}) {
    const bool goes_on = before == '\0' || take(text, before);
    const auto byte = goes_on ? take_number(text, 255) : std::nullopt;
    if (!byte) {
      return std::nullopt;
    }
    network.address = network.address << 8 | *byte;
  }
  const auto prefix = take(text, '/') ? take_number(text, prefix_max) : std::nullopt;
  if (!prefix || *prefix == 0 || !text.empty()) {
    return std::nullopt;
  }
  network.mask = ~std::uint32_t{0} << (32 - *prefix);
  return network;
}

Network validated_network(std::string_view what, std::string_view text) {
  const auto network = parse_network(text);
  if (!network) {
    refuse(fmt::format("{} '{}': write an IPv4 address and a prefix length of 1 to {}, for example 10.77.0.1/24", what,
                       text, prefix_max));
  }
  return *network;
}

}  // namespace

void validate(const LinkOptions& options) {
  validate_name("namespace a", options.a.network_namespace);
  validate_name("namespace b", options.b.network_namespace);
  validate_name("interface a", options.a.interface);
  validate_name("interface b", options.b.interface);
  if (options.a.network_namespace == options.b.network_namespace) {
    refuse(fmt::format("both ends in namespace '{}': a link joins two", options.a.network_namespace));
  }
  const Network network_a = validated_network("address a", options.a.address);
  const Network network_b = validated_network("address b", options.b.address);
  if (network_a.mask != network_b.mask || ((network_a.address ^ network_b.address) & network_a.mask) != 0 ||
      network_a.address == network_b.address) {
    refuse(fmt::format("addresses '{}' and '{}': the ends need different addresses of one network", options.a.address,
                       options.b.address));
  }
  if (options.mtu < mtu_min || options.mtu > mtu_max) {
    refuse(fmt::format("mtu {}: it lies between {} and {}", options.mtu, mtu_min, mtu_max));
  }
}

std::string_view without_prefix(std::string_view address) {
  return address.substr(0, address.find('/'));
}

}  // namespace rtecho::host

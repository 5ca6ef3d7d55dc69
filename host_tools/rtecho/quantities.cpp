#include "quantities.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace rtecho::pair {

namespace {

struct Unit {
  std::string_view name;
  double ns;
};
constexpr std::array units{Unit{"", 1e9},  Unit{"us", 1e3}, Unit{"ms", 1e6},
                           Unit{"s", 1e9}, Unit{"m", 60e9}, Unit{"h", 3600e9}};
constexpr double ns_of_a_year = 365.0 * 24 * 3600e9;

// Published in reference/rtx_vs_windows.csv.
constexpr std::array<std::uint32_t, 13> published_tcp{1,    16,   32,   64,   128,  256,  512,
                                                      1024, 1462, 2048, 4096, 8192, 65535};
constexpr std::array<std::uint32_t, 12> published_udp{1, 16, 64, 128, 256, 512, 1024, 1462, 2048, 4096, 8192, 40960};

template <typename T>
std::optional<T> parse_whole(std::string_view text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number)) {
    return std::nullopt;
  }
  const std::string_view unit_name(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const Unit& unit : units) {
    if (unit.name == unit_name) {
      const double ns = number * unit.ns;
      if (ns < 1 || ns > ns_of_a_year) {
        return std::nullopt;
      }
      return Duration::from_ns(static_cast<std::int64_t>(ns));
    }
  }
  return std::nullopt;
}

std::optional<std::vector<std::uint32_t>> parse_sizes(std::string_view text, Protocol protocol) {
  if (text == "rtx") {
    return protocol == Protocol::tcp ? std::vector<std::uint32_t>(published_tcp.begin(), published_tcp.end())
                                     : std::vector<std::uint32_t>(published_udp.begin(), published_udp.end());
  }
  std::vector<std::uint32_t> sizes;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const auto size = parse_whole<std::uint32_t>(rest.substr(0, comma));
    if (!size || *size == 0 || *size > limits::message_bytes_max) {
      return std::nullopt;
    }
    sizes.push_back(*size);
    if (comma == std::string_view::npos) {
      return sizes;
    }
    rest.remove_prefix(comma + 1);
  }
}

std::string hex_text(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = 0; i < text.size(); ++i) {
    text[i] = "0123456789abcdef"[(value >> (60 - 4 * i)) & 0xFU];
  }
  return text;
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  if (text.size() != 16) {
    return std::nullopt;
  }
  return parse_whole<std::uint64_t>(text, 16);
}

std::optional<Protocol> parse_protocol(std::string_view text) {
  for (const Protocol protocol : all_protocols) {
    if (text == name_of(protocol)) {
      return protocol;
    }
  }
  return std::nullopt;
}

std::optional<Driver> parse_driver(std::string_view text) {
  for (const Driver driver : {Driver::socket, Driver::ring, Driver::pcap}) {
    if (text == name_of(driver)) {
      return driver;
    }
  }
  return std::nullopt;
}

std::optional<VlanTag> parse_vlan(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto id = parse_whole<std::uint16_t>(text.substr(0, colon));
  const auto priority = colon == std::string_view::npos ? std::optional<std::uint16_t>(std::uint16_t{0})
                                                        : parse_whole<std::uint16_t>(text.substr(colon + 1));
  if (!id || !priority || *id == 0 || *id > VlanTag::id_max || *priority > VlanTag::priority_max) {
    return std::nullopt;
  }
  return VlanTag{*id, static_cast<std::uint8_t>(*priority)};
}

bool is_host_address(std::uint32_t ipv4) {
  constexpr std::uint32_t loopback_network = 127;
  constexpr std::uint32_t first_group_network = 224;
  const std::uint32_t network = ipv4 >> 24U;
  return network != 0 && network != loopback_network && network < first_group_network;
}

const char* name_of(WaitMode mode) {
  return mode == WaitMode::spin ? "spin" : "block";
}

std::optional<WaitMode> parse_wait(std::string_view text) {
  if (text == "spin") {
    return WaitMode::spin;
  }
  if (text == "block") {
    return WaitMode::block;
  }
  return std::nullopt;
}

}  // namespace rtecho::pair

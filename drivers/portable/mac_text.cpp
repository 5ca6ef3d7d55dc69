#include "drivers/mac_text.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>

namespace rtecho::drivers {

namespace {

constexpr std::size_t pair_chars = 3;  // two digits and the colon before the next pair
constexpr std::size_t text_chars = MacAddress::bytes_count * pair_chars - 1;

}  // namespace

std::optional<MacAddress> parse_mac(std::string_view text) {
  if (text.size() != text_chars) {
    return std::nullopt;
  }
  MacAddress::Bytes bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::string_view pair = text.substr(i * pair_chars, 2);
    std::uint8_t value = 0;
    // Unsigned numbers have no sign for from_chars, so two characters read are two digits.
    const auto read = std::from_chars(pair.data(), pair.data() + pair.size(), value, 16);
    if (read.ec != std::errc{} || read.ptr != pair.data() + pair.size() || (i > 0 && text[i * pair_chars - 1] != ':')) {
      return std::nullopt;
    }
    bytes[i] = std::byte{value};
  }
  return MacAddress(bytes);
}

std::string mac_text(const MacAddress& address) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : address.bytes()) {
    text += text.empty() ? "" : ":";
    text += digits[std::to_integer<std::size_t>(byte >> 4U)];
    text += digits[std::to_integer<std::size_t>(byte & std::byte{0xF})];
  }
  return text;
}

}  // namespace rtecho::drivers

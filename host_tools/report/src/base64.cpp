#include "base64.hpp"

#include <cstddef>

namespace rtecho::report {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64_encode(std::span<const std::uint8_t> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t present = bytes.size() - at < 3 ? bytes.size() - at : 3;
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = (group << 8U) | (i < present ? bytes[at + i] : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text.push_back(i <= present ? alphabet[(group >> (18 - 6 * i)) & 0x3FU] : '=');
    }
  }
  return text;
}

std::optional<std::vector<std::uint8_t>> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) {
    return std::nullopt;
  }
  std::size_t digits = text.size();
  while (digits > 0 && text.size() - digits < 2 && text[digits - 1] == '=') {
    --digits;
  }
  std::vector<std::uint8_t> bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t pending = 0;
  unsigned pending_bits = 0;
  for (const char c : text.substr(0, digits)) {
    const std::size_t value = alphabet.find(c);
    if (value == std::string_view::npos) {
      return std::nullopt;
    }
    pending = (pending << 6U) | static_cast<std::uint32_t>(value);
    pending_bits += 6;
    if (pending_bits >= 8) {
      pending_bits -= 8;
      bytes.push_back(static_cast<std::uint8_t>(pending >> pending_bits));
      pending &= (1U << pending_bits) - 1;
    }
  }
  if (pending != 0) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace rtecho::report

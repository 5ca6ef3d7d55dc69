// Bytes as they stand on a wire, and the checksum as RFC 1071 defines it: 16 bits at a time, slow and plain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace rtecho::test {

using Bytes = std::vector<std::byte>;

// Pairs of hexadecimal digits; blanks between them mean nothing.
inline Bytes from_hex(std::string_view text) {
  Bytes bytes;
  unsigned value = 0;
  bool is_half = false;
  for (const char c : text) {
    if (c == ' ') {
      continue;
    }
    const auto digit = static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    value = value * 16 + digit;
    if (is_half) {
      bytes.push_back(static_cast<std::byte>(value));
      value = 0;
    }
    is_half = !is_half;
  }
  return bytes;
}

// The one's complement sum, not complemented. `start`: what else is covered, as 16-bit words already added up.
inline std::uint16_t plain_sum(std::span<const std::byte> bytes, std::uint64_t start = 0) {
  std::uint64_t sum = start;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto value = std::to_integer<std::uint64_t>(bytes[i]);
    sum += i % 2 == 0 ? value << 8U : value;
  }
  while (sum > 0xFFFF) {
    sum = (sum & 0xFFFFU) + (sum >> 16U);
  }
  return static_cast<std::uint16_t>(sum);
}

inline std::uint16_t plain_checksum(std::span<const std::byte> bytes, std::uint64_t start = 0) {
  return static_cast<std::uint16_t>(~plain_sum(bytes, start));
}

inline void put_word(std::span<std::byte> bytes, std::size_t offset, std::uint32_t value) {
  bytes[offset] = static_cast<std::byte>(value >> 8U & 0xFFU);
  bytes[offset + 1] = static_cast<std::byte>(value & 0xFFU);
}

// SplitMix64, so that "any bytes" are the same ones every time.
class AnyBytes {
 public:
  explicit AnyBytes(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9E37'79B9'7F4A'7C15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58'476D'1CE4'E5B9;
    z = (z ^ (z >> 27U)) * 0x94D0'49BB'1331'11EB;
    return z ^ (z >> 31U);
  }
  Bytes bytes(std::size_t count) {
    Bytes result(count);
    for (std::byte& byte : result) {
      byte = static_cast<std::byte>(next() >> 56U);
    }
    return result;
  }

 private:
  std::uint64_t state_;
};

}  // namespace rtecho::test

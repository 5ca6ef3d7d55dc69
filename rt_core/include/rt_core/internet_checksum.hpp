// The checksum of IPv4, UDP and ICMP (RFC 1071): the complement of the one's complement sum of 16-bit words. Summed
// eight bytes at a time in the machine's own byte order, which the sum does not depend on (RFC 1071, 2 B), and folded
// at the end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "rt_core/bytes.hpp"

namespace rtecho {

// An unfinished sum. Bytes are added from even offsets of the message; only the last piece may have an odd length.
class InternetSum {
 public:
  constexpr InternetSum() = default;

  void add(std::span<const std::byte> bytes) {
    const std::byte* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= sizeof(std::uint64_t); left -= sizeof(std::uint64_t), at += sizeof(std::uint64_t)) {
      std::uint64_t words = 0;
      std::memcpy(&words, at, sizeof(words));
      add_native(words);
    }
    if (left > 0) {
      std::uint64_t words = 0;  // the missing bytes count as 0 (RFC 1071, 4.1)
      std::memcpy(&words, at, left);
      add_native(words);
    }
  }
  // A value as its big-endian bytes would be summed.
  void add_word(std::uint16_t value) { add_native(detail::to_or_from_big_endian(value)); }
  void add_words(std::uint32_t value) { add_native(detail::to_or_from_big_endian(value)); }
  // What another sum has come to.
  void add(const InternetSum& other) { add_native(other.sum_); }

  // Folded, not complemented, as it stands in the message read big-endian.
  [[nodiscard]] std::uint16_t folded() const {
    std::uint64_t sum = (sum_ >> 32U) + (sum_ & 0xFFFF'FFFFU);
    sum = (sum >> 16U) + (sum & 0xFFFFU);
    sum = (sum >> 16U) + (sum & 0xFFFFU);
    sum = (sum >> 16U) + (sum & 0xFFFFU);
    return detail::to_or_from_big_endian(static_cast<std::uint16_t>(sum));
  }
  // What belongs into the checksum field, which must have been summed as 0.
  [[nodiscard]] std::uint16_t checksum() const { return static_cast<std::uint16_t>(~folded()); }
  // Whether bytes that contain their checksum are as they were sent.
  [[nodiscard]] bool is_right() const { return folded() == 0xFFFF; }

 private:
  void add_native(std::uint64_t words) {
    sum_ += words;
    sum_ += sum_ < words ? 1U : 0U;  // the carry comes round
  }
  std::uint64_t sum_ = 0;
};

// The checksum after one 16-bit word of what it covers was changed (RFC 1624, equation 3). Where only zeros are left,
// it comes to 0, and computed anew to 0xFFFF.
[[nodiscard]] constexpr std::uint16_t adjusted_checksum(std::uint16_t checksum, std::uint16_t old_word,
                                                        std::uint16_t new_word) {
  std::uint32_t sum = static_cast<std::uint16_t>(~checksum);
  sum += static_cast<std::uint16_t>(~old_word);
  sum += new_word;
  sum = (sum & 0xFFFFU) + (sum >> 16U);
  sum = (sum & 0xFFFFU) + (sum >> 16U);
  return static_cast<std::uint16_t>(~sum);
}

}  // namespace rtecho

// A ping (ICMP echo, RFC 792) as a view that can be turned into its own answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rt_core/bytes.hpp"
#include "rt_core/internet_checksum.hpp"

namespace rtecho {

class IcmpEchoView {
 public:
  static constexpr std::size_t header_bytes = 8;

  IcmpEchoView() = default;

  // False for anything but an echo request whose checksum is right.
  [[nodiscard]] static bool check_request(std::span<std::byte> payload, IcmpEchoView& view) {
    if (payload.size() < header_bytes || load_big_endian<std::uint16_t>(payload, type_and_code_at) != request) {
      return false;
    }
    InternetSum sum;
    sum.add(payload);
    view.message_ = payload;
    return sum.is_right();
  }

  // Type and checksum are all that changes. An adjusted checksum of 0 is spelled as ones, which are as right, and the
  // only right ones in a reply of nothing but zeros.
  void turn_into_reply() const {
    const auto old_checksum = load_big_endian<std::uint16_t>(message_, checksum_at);
    const std::uint16_t checksum = adjusted_checksum(old_checksum, request, reply);
    store_big_endian(message_, type_and_code_at, reply);
    store_big_endian(message_, checksum_at, checksum == 0 ? std::uint16_t{0xFFFF} : checksum);
  }

 private:
  static constexpr std::uint16_t request = 0x0800;  // type 8, code 0
  static constexpr std::uint16_t reply = 0x0000;
  static constexpr std::size_t type_and_code_at = 0;
  static constexpr std::size_t checksum_at = 2;

  std::span<std::byte> message_;
};

}  // namespace rtecho

// The UDP header (RFC 768) over IPv4, with its checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rt_core/bytes.hpp"
#include "rt_core/internet_checksum.hpp"
#include "rt_core/ipv4.hpp"

namespace rtecho {

inline constexpr std::size_t udp_header_bytes = 8;

namespace udp_offset {
inline constexpr std::size_t source_port = 0;
inline constexpr std::size_t destination_port = 2;
inline constexpr std::size_t bytes = 4;
inline constexpr std::size_t checksum = 6;
}  // namespace udp_offset

// The sum of what UDP's checksum covers besides the datagram: addresses, protocol, length.
[[nodiscard]] inline InternetSum udp_pseudo_header_sum(std::uint32_t source, std::uint32_t destination,
                                                       std::size_t datagram_bytes) {
  InternetSum sum;
  sum.add_words(source);
  sum.add_words(destination);
  sum.add_word(ip_protocol::udp);
  sum.add_word(static_cast<std::uint16_t>(datagram_bytes));
  return sum;
}

// What the checksum of a datagram says.
enum class UdpChecksum : std::uint8_t {
  right,
  absent,   // 0: the sender made none (RFC 768)
  partial,  // the sum of the pseudo header, not complemented: left to a NIC that was never there
  wrong,
};

// A checked view of a datagram. What follows its length is not part of it.
class UdpView {
 public:
  UdpView() = default;

  // False where the lengths do not fit.
  [[nodiscard]] static bool check(std::span<std::byte> payload, UdpView& view) {
    if (payload.size() < udp_header_bytes) {
      return false;
    }
    const std::size_t bytes = load_big_endian<std::uint16_t>(payload, udp_offset::bytes);
    if (bytes < udp_header_bytes || bytes > payload.size()) {
      return false;
    }
    view.datagram_ = payload.first(bytes);
    return true;
  }

  [[nodiscard]] std::uint16_t source_port() const {
    return load_big_endian<std::uint16_t>(datagram_, udp_offset::source_port);
  }
  [[nodiscard]] std::uint16_t destination_port() const {
    return load_big_endian<std::uint16_t>(datagram_, udp_offset::destination_port);
  }
  [[nodiscard]] std::span<std::byte> payload() const { return datagram_.subspan(udp_header_bytes); }

  // `pseudo_header`: of this datagram's addresses and length.
  [[nodiscard]] UdpChecksum checksum(const InternetSum& pseudo_header) const {
    const auto field = load_big_endian<std::uint16_t>(datagram_, udp_offset::checksum);
    if (field == 0) {
      return UdpChecksum::absent;
    }
    InternetSum sum = pseudo_header;
    sum.add(datagram_);
    if (sum.is_right()) {
      return UdpChecksum::right;
    }
    return field == pseudo_header.folded() ? UdpChecksum::partial : UdpChecksum::wrong;
  }
  [[nodiscard]] std::size_t bytes() const { return datagram_.size(); }

 private:
  std::span<std::byte> datagram_;
};

struct UdpHeader {
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;

  // Writes the header in front of the payload that is there already; `datagram` is both.
  void emit(std::span<std::byte> datagram, const InternetSum& pseudo_header) const {
    store_big_endian(datagram, udp_offset::source_port, source_port);
    store_big_endian(datagram, udp_offset::destination_port, destination_port);
    store_big_endian(datagram, udp_offset::bytes, static_cast<std::uint16_t>(datagram.size()));
    store_big_endian(datagram, udp_offset::checksum, std::uint16_t{0});
    InternetSum sum = pseudo_header;
    sum.add(datagram);
    store_big_endian(datagram, udp_offset::checksum, udp_checksum_field(sum.checksum()));
  }

  // 0 means "none", so a checksum that comes to 0 is sent as its other spelling (RFC 768).
  [[nodiscard]] static constexpr std::uint16_t udp_checksum_field(std::uint16_t checksum) {
    return checksum == 0 ? std::uint16_t{0xFFFF} : checksum;
  }
};

}  // namespace rtecho

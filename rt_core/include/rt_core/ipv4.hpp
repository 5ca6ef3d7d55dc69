// The IPv4 header (RFC 791, 3.1) as rtecho's frames carry it: 20 bytes, no options, no fragments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rt_core/bytes.hpp"
#include "rt_core/internet_checksum.hpp"

namespace rtecho {

inline constexpr std::size_t ipv4_header_bytes = 20;

namespace ip_protocol {
inline constexpr std::uint8_t icmp = 1;
inline constexpr std::uint8_t udp = 17;
}  // namespace ip_protocol

namespace ipv4_offset {
inline constexpr std::size_t version_and_length = 0;
inline constexpr std::size_t traffic_class = 1;
inline constexpr std::size_t total_bytes = 2;
inline constexpr std::size_t identification = 4;
inline constexpr std::size_t fragment = 6;
inline constexpr std::size_t time_to_live = 8;
inline constexpr std::size_t protocol = 9;
inline constexpr std::size_t checksum = 10;
inline constexpr std::size_t source = 12;
inline constexpr std::size_t destination = 16;
}  // namespace ipv4_offset

// Why a packet is not looked at further.
enum class Ipv4Fault : std::uint8_t {
  none,
  length,    // shorter than a header, or than it says itself
  version,   // not version 4
  options,   // a header that is not 20 bytes long
  fragment,  // a part of a datagram, first ones included
  checksum,
};

// A checked view of a packet. What follows the total length (Ethernet's padding) is not part of it.
class Ipv4View {
 public:
  // A view without its packet: for check() to fill.
  Ipv4View() = default;

  [[nodiscard]] static Ipv4Fault check(std::span<std::byte> packet, Ipv4View& view) {
    if (packet.size() < ipv4_header_bytes) {
      return Ipv4Fault::length;
    }
    const auto first = std::to_integer<unsigned>(packet[ipv4_offset::version_and_length]);
    if (first >> 4U != 4) {
      return Ipv4Fault::version;
    }
    if ((first & 0x0FU) * 4 != ipv4_header_bytes) {
      return Ipv4Fault::options;
    }
    const std::size_t total = load_big_endian<std::uint16_t>(packet, ipv4_offset::total_bytes);
    if (total < ipv4_header_bytes || total > packet.size()) {
      return Ipv4Fault::length;
    }
    InternetSum sum;
    sum.add(packet.first<ipv4_header_bytes>());
    if (!sum.is_right()) {
      return Ipv4Fault::checksum;
    }
    constexpr std::uint16_t more_fragments_or_offset = 0x3FFF;
    if ((load_big_endian<std::uint16_t>(packet, ipv4_offset::fragment) & more_fragments_or_offset) != 0) {
      return Ipv4Fault::fragment;
    }
    view.packet_ = packet.first(total);
    return Ipv4Fault::none;
  }

  [[nodiscard]] std::uint8_t protocol() const { return std::to_integer<std::uint8_t>(packet_[ipv4_offset::protocol]); }
  // 10.0.0.1 is 0x0A000001.
  [[nodiscard]] std::uint32_t source() const { return load_big_endian<std::uint32_t>(packet_, ipv4_offset::source); }
  [[nodiscard]] std::uint32_t destination() const {
    return load_big_endian<std::uint32_t>(packet_, ipv4_offset::destination);
  }
  [[nodiscard]] std::span<std::byte> payload() const { return packet_.subspan(ipv4_header_bytes); }

 private:
  std::span<std::byte> packet_;
};

struct Ipv4Header {
  static constexpr std::uint8_t time_to_live_default = 64;

  std::uint16_t payload_bytes = 0;
  std::uint8_t differentiated_services = 0;  // DSCP, 0 … 63
  std::uint8_t time_to_live = time_to_live_default;
  std::uint8_t protocol = ip_protocol::udp;
  std::uint32_t source = 0;
  std::uint32_t destination = 0;

  // Writes ipv4_header_bytes. "Don't fragment" is set, and with it the identification may be 0 (RFC 6864, 4.1).
  void emit(std::span<std::byte> packet) const {
    const std::span<std::byte> header = packet.first<ipv4_header_bytes>();
    constexpr std::uint16_t dont_fragment = 0x4000;
    header[ipv4_offset::version_and_length] = std::byte{0x45};
    header[ipv4_offset::traffic_class] = static_cast<std::byte>(differentiated_services << 2U);
    store_big_endian(header, ipv4_offset::total_bytes, static_cast<std::uint16_t>(ipv4_header_bytes + payload_bytes));
    store_big_endian(header, ipv4_offset::identification, std::uint16_t{0});
    store_big_endian(header, ipv4_offset::fragment, dont_fragment);
    header[ipv4_offset::time_to_live] = std::byte{time_to_live};
    header[ipv4_offset::protocol] = std::byte{protocol};
    store_big_endian(header, ipv4_offset::checksum, std::uint16_t{0});
    store_big_endian(header, ipv4_offset::source, source);
    store_big_endian(header, ipv4_offset::destination, destination);
    InternetSum sum;
    sum.add(header);
    store_big_endian(header, ipv4_offset::checksum, sum.checksum());
  }
};

}  // namespace rtecho

// Where the echo message lies in a frame, for those who look at frames from outside (TracePort). It does not say whose
// message it is, nor whether it is a good one; the protocols themselves look closer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rt_core/bytes.hpp"
#include "rt_core/ethernet.hpp"

namespace rtecho::drivers {

namespace detail {

// A length of 16 bits, the message, padding.
[[nodiscard]] inline std::span<const std::byte> message_of_raw_payload(std::span<const std::byte> payload) {
  constexpr std::size_t length_bytes = 2;
  if (payload.size() < length_bytes) {
    return {};
  }
  const std::span<const std::byte> rest = payload.subspan(length_bytes);
  const std::size_t bytes = load_big_endian<std::uint16_t>(payload, 0);
  return bytes <= rest.size() ? rest.first(bytes) : std::span<const std::byte>{};
}

// A whole UDP datagram in IPv4 without options (RFC 791, 3.1; RFC 768).
[[nodiscard]] inline std::span<const std::byte> message_of_ipv4_packet(std::span<const std::byte> packet) {
  constexpr std::size_t ipv4_bytes = 20;
  constexpr std::size_t udp_bytes = 8;
  constexpr std::uint16_t fragment_bits = 0x3FFF;  // "more fragments" and the offset
  if (packet.size() < ipv4_bytes + udp_bytes || packet[0] != std::byte{0x45} || packet[9] != std::byte{17} ||
      (load_big_endian<std::uint16_t>(packet, 6) & fragment_bits) != 0) {
    return {};
  }
  const std::size_t total_bytes = load_big_endian<std::uint16_t>(packet, 2);
  const std::size_t datagram_bytes = load_big_endian<std::uint16_t>(packet, ipv4_bytes + 4);
  if (total_bytes > packet.size() || datagram_bytes < udp_bytes || total_bytes != ipv4_bytes + datagram_bytes) {
    return {};
  }
  return packet.subspan(ipv4_bytes + udp_bytes, datagram_bytes - udp_bytes);
}

}  // namespace detail

// Of a raw frame (EtherType 0x88B5) or a UDP datagram in IPv4, with at most one VLAN tag; empty where there is none,
// and where the frame ends before the message does.
[[nodiscard]] inline std::span<const std::byte> message_of_frame(std::span<const std::byte> frame) {
  if (frame.size() < ethernet_header_bytes) {
    return {};
  }
  std::uint16_t type = load_big_endian<std::uint16_t>(frame, ethernet_offset::type);
  std::size_t header_bytes = ethernet_header_bytes;
  if (type == ether_type::vlan) {
    header_bytes += vlan_tag_bytes;
    if (frame.size() < header_bytes) {
      return {};
    }
    type = load_big_endian<std::uint16_t>(frame, ethernet_offset::type_behind_tag);
  }
  const std::span<const std::byte> payload = frame.subspan(header_bytes);
  if (type == ether_type::echo) {
    return detail::message_of_raw_payload(payload);
  }
  return type == ether_type::ipv4 ? detail::message_of_ipv4_packet(payload) : std::span<const std::byte>{};
}

}  // namespace rtecho::drivers

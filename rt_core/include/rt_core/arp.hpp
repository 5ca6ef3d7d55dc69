// Address resolution of IPv4 over Ethernet (RFC 826): the one packet, as a view and as a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rt_core/bytes.hpp"
#include "rt_core/ethernet.hpp"

namespace rtecho {

inline constexpr std::size_t arp_packet_bytes = 28;

enum class ArpOperation : std::uint16_t { request = 1, reply = 2 };

struct ArpPacket {
  ArpOperation operation = ArpOperation::request;
  MacAddress sender_mac;
  std::uint32_t sender_address = 0;  // 0 in a probe, which claims nothing (RFC 5227, 2.1.1)
  MacAddress target_mac;
  std::uint32_t target_address = 0;

  // False for anything but a request or reply of IPv4 over Ethernet.
  [[nodiscard]] static bool parse(std::span<const std::byte> bytes, ArpPacket& packet) {
    if (bytes.size() < arp_packet_bytes || load_big_endian<std::uint64_t>(bytes, 0) >> 16U != fixed_fields) {
      return false;
    }
    const auto operation = load_big_endian<std::uint16_t>(bytes, operation_at);
    if (operation != static_cast<std::uint16_t>(ArpOperation::request) &&
        operation != static_cast<std::uint16_t>(ArpOperation::reply)) {
      return false;
    }
    packet = ArpPacket{static_cast<ArpOperation>(operation), load_mac(bytes, sender_mac_at),
                       load_big_endian<std::uint32_t>(bytes, sender_address_at), load_mac(bytes, target_mac_at),
                       load_big_endian<std::uint32_t>(bytes, target_address_at)};
    return true;
  }

  // Writes arp_packet_bytes.
  void emit(std::span<std::byte> bytes) const {
    const std::uint64_t first = fixed_fields << 16U | static_cast<std::uint16_t>(operation);
    store_big_endian(bytes, 0, first);
    store_mac(bytes, sender_mac_at, sender_mac);
    store_big_endian(bytes, sender_address_at, sender_address);
    store_mac(bytes, target_mac_at, target_mac);
    store_big_endian(bytes, target_address_at, target_address);
  }

  // The answer of the one who has the target address.
  [[nodiscard]] constexpr ArpPacket answered_by(const MacAddress& owner) const {
    return ArpPacket{ArpOperation::reply, owner, target_address, sender_mac, sender_address};
  }

 private:
  static constexpr std::uint64_t fixed_fields = 0x0001'0800'0604;  // Ethernet, IPv4, and the lengths of their addresses
  static constexpr std::size_t operation_at = 6;
  static constexpr std::size_t sender_mac_at = 8;
  static constexpr std::size_t sender_address_at = 14;
  static constexpr std::size_t target_mac_at = 18;
  static constexpr std::size_t target_address_at = 24;
};

}  // namespace rtecho

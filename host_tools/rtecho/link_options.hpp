// How an end touches the wire: which driver, which interface, and how its packets are marked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "drivers/packet_ring.hpp"
#include "rt_core/ethernet.hpp"

namespace rtecho::pair {

enum class Driver : std::uint8_t { socket, ring, pcap };

[[nodiscard]] constexpr const char* name_of(Driver driver) {
  switch (driver) {
    case Driver::ring:
      return "ring";
    case Driver::pcap:
      return "pcap";
    case Driver::socket:
      break;
  }
  return "socket";
}

struct LinkOptions {
  Driver driver = Driver::socket;
  std::string interface;                                // of frame drivers
  std::optional<std::uint32_t> own_address;             // IPv4, one that the kernel does not hold; frame drivers
  std::optional<MacAddress> peer_mac;                   // frame drivers; else found out
  std::optional<VlanTag> vlan;                          // frames carry it; sockets are bound to its device
  std::optional<std::uint8_t> differentiated_services;  // DSCP
  std::optional<int> socket_priority;
  drivers::TransmitWay transmit = drivers::TransmitWay::send;  // of rings
  std::string capture_path;

  [[nodiscard]] bool moves_frames() const { return driver != Driver::socket; }
};

}  // namespace rtecho::pair

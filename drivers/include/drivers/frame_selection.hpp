// Which frames of an interface are a session's own. Every frame driver filters by it as early as it can (in the kernel
// where there is one), so that no frame of anybody else is copied, delayed or lost because of us; the protocols above
// look once more.
#pragma once

#include <cstdint>
#include <optional>

#include "rt_core/ethernet.hpp"

namespace rtecho::drivers {

// An IPv4 address as a number: 10.0.0.1 is 0x0A000001.
struct Ipv4Endpoint {
  std::uint32_t address = 0;
  std::uint16_t port = 0;
  friend constexpr bool operator==(const Ipv4Endpoint&, const Ipv4Endpoint&) = default;
};

// The UDP datagrams of one session.
struct UdpSelection {
  Ipv4Endpoint local;
  Ipv4Endpoint peer;
  // The kernel does not hold the local address: also the ARP requests and the pings for it, which we answer, and ARP
  // replies to it.
  bool own_address = false;
};

struct FrameSelection {
  MacAddress local;  // the destination of every frame that is ours, but for ARP requests, which are broadcast
  std::optional<std::uint16_t> vlan_id;  // absent: untagged frames only
  // Absent: frames of EtherType 0x88B5 (ether_type::echo).
  std::optional<UdpSelection> udp;
};

}  // namespace rtecho::drivers

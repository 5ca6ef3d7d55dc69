// How a socket's packets are marked for the network and for this host's queues, and which device they must leave by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rtecho::drivers {

struct SocketMarking {
  std::optional<std::uint8_t> differentiated_services;  // DSCP, 0 … 63: IP_TOS or IPV6_TCLASS
  // SO_PRIORITY, 0 … 15: which queue of the device, and by its egress map which priority of a VLAN tag. Above 6 it
  // needs CAP_NET_ADMIN.
  std::optional<int> priority;
  std::string device;  // SO_BINDTODEVICE: nothing leaves or arrives by another one; empty: as routed
};

}  // namespace rtecho::drivers

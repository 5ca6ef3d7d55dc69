// The interfaces of this network namespace, and what the kernel knows about the addresses on them: what a frame driver
// asks before it opens one. For ordinary code, before the run. (What an interface says about its speed and its
// offloads is in platform/nic_facts.hpp.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rt_core/ethernet.hpp"
#include "rt_core/result.hpp"

namespace rtecho::drivers {

struct Interface {
  std::string name{};
  int index = 0;     // stays the same when the interface is renamed, and is not used again for another one
  MacAddress mac{};  // zero where the interface has none of six bytes
  std::uint32_t mtu = 0;
  bool is_up = false;
  bool has_carrier = false;  // up, and a link partner is there
  bool is_ethernet = false;  // carries Ethernet frames and is not the loopback interface
  bool is_loopback = false;
};

// By its name, or by an alternative name that is short enough to be one. Errors: `invalid` for what can be no name,
// `not_found`.
[[nodiscard]] Result<Interface> find_interface(const std::string& name);
// In the order of their indices.
[[nodiscard]] std::vector<Interface> list_interfaces();

// The IPv4 addresses of one interface, as numbers (10.0.0.1 is 0x0A000001). Empty for an interface that is not there.
[[nodiscard]] std::vector<std::uint32_t> interface_addresses(int index);
// Some interface of this namespace has the address, whether it is up or not: the kernel answers for it.
[[nodiscard]] Result<bool> kernel_holds_address(std::uint32_t ipv4);
// The neighbour's MAC address where the kernel knows one that it would use itself: from an answer, also an old one, or
// entered by hand. It is not made to ask.
[[nodiscard]] std::optional<MacAddress> kernel_neighbour(int interface_index, std::uint32_t ipv4);

// The VLAN device of this id on top of an interface: its name. Absent where nobody has made one.
[[nodiscard]] std::optional<std::string> vlan_device_on(const std::string& parent, std::uint16_t id);

}  // namespace rtecho::drivers

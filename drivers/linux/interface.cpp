#include "drivers/interface.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/if_vlan.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "platform/descriptor.hpp"
#include "platform/os_error.hpp"

namespace rtecho::drivers {

namespace {

platform::Descriptor open_question_socket() noexcept {
  return platform::Descriptor(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

MacAddress mac_of(const void* bytes_of_address) noexcept {
  MacAddress::Bytes bytes{};
  std::memcpy(bytes.data(), bytes_of_address, bytes.size());
  return MacAddress(bytes);
}

// What getifaddrs(3) lists: each interface once with its link address, and once with each of its other addresses.
template <typename Use>
bool for_each_entry(sa_family_t family, Use use) {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) {
    return false;
  }
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(first, &::freeifaddrs);
  for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr != nullptr && entry->ifa_addr->sa_family == family) {
      use(*entry);
    }
  }
  return true;
}

std::uint32_t ipv4_of(const ifaddrs& entry) noexcept {
  sockaddr_in address{};
  std::memcpy(&address, entry.ifa_addr, sizeof(address));
  return ntohl(address.sin_addr.s_addr);
}

Interface interface_of(const ifaddrs& entry) {
  sockaddr_ll link{};
  std::memcpy(&link, entry.ifa_addr, sizeof(link));
  Interface interface;
  interface.name = entry.ifa_name;
  interface.index = link.sll_ifindex;
  interface.is_up = (entry.ifa_flags & IFF_UP) != 0;
  // The carrier itself. IFF_RUNNING, which the old ioctl shows, follows it up to a second later.
  constexpr unsigned lower_up = 1U << 16U;
  interface.has_carrier = interface.is_up && (entry.ifa_flags & lower_up) != 0;
  interface.is_loopback = (entry.ifa_flags & IFF_LOOPBACK) != 0;
  interface.is_ethernet = link.sll_hatype == ARPHRD_ETHER && !interface.is_loopback;
  if (interface.is_ethernet) {
    interface.mac = mac_of(&link.sll_addr);
  }
  return interface;
}

// False for an interface that has gone since it was listed.
bool add_mtu(Interface& interface) noexcept {
  const platform::Descriptor socket = open_question_socket();
  ifreq request{};
  request.ifr_ifindex = interface.index;
  if (::ioctl(socket.number(), SIOCGIFNAME, &request) != 0 || ::ioctl(socket.number(), SIOCGIFMTU, &request) != 0) {
    return false;
  }
  interface.mtu = static_cast<std::uint32_t>(request.ifr_mtu);
  return true;
}

}  // namespace

Result<Interface> find_interface(const std::string& name) {
  if (name.empty() || name.size() >= IFNAMSIZ || name.find('\0') != std::string::npos) {
    return Error{Status::invalid, 0, "name of the interface"};
  }
  const unsigned index = ::if_nametoindex(name.c_str());
  for (Interface& interface : list_interfaces()) {
    if (index != 0 && interface.index == static_cast<int>(index)) {
      return std::move(interface);
    }
  }
  if (index != 0) {
    // One without a link address, a tunnel for instance, is not listed.
    Interface interface;
    interface.name = name;
    interface.index = static_cast<int>(index);
    return interface;
  }
  return Error{Status::not_found, ENODEV, "looking for the interface in this network namespace"};
}

std::vector<Interface> list_interfaces() {
  std::vector<Interface> interfaces;
  for_each_entry(AF_PACKET, [&](const ifaddrs& entry) { interfaces.push_back(interface_of(entry)); });
  std::erase_if(interfaces, [](Interface& interface) { return !add_mtu(interface); });
  std::ranges::sort(interfaces, {}, &Interface::index);
  return interfaces;
}

std::vector<std::uint32_t> interface_addresses(int index) {
  std::array<char, IF_NAMESIZE> name{};
  if (index <= 0 || ::if_indextoname(static_cast<unsigned>(index), name.data()) == nullptr) {
    return {};
  }
  std::vector<std::uint32_t> addresses;
  for_each_entry(AF_INET, [&](const ifaddrs& entry) {
    // An address with a label is listed under "eth0:label" (ip-address(8)).
    const std::size_t length = std::strcspn(entry.ifa_name, ":");
    if (length == std::strlen(name.data()) && std::strncmp(entry.ifa_name, name.data(), length) == 0) {
      addresses.push_back(ipv4_of(entry));
    }
  });
  return addresses;
}

Result<bool> kernel_holds_address(std::uint32_t ipv4) {
  bool is_held = false;
  if (!for_each_entry(AF_INET, [&](const ifaddrs& entry) { is_held = is_held || ipv4_of(entry) == ipv4; })) {
    return platform::os_error(errno, "listing the addresses of this network namespace");
  }
  return is_held;
}

// arp(7): the flag says that the entry holds an address that the kernel would use.
std::optional<MacAddress> kernel_neighbour(int interface_index, std::uint32_t ipv4) {
  arpreq request{};
  static_assert(sizeof(request.arp_dev) >= IF_NAMESIZE);
  if (interface_index <= 0 || ::if_indextoname(static_cast<unsigned>(interface_index), request.arp_dev) == nullptr) {
    return std::nullopt;
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(ipv4);
  std::memcpy(&request.arp_pa, &address, sizeof(address));
  const platform::Descriptor socket = open_question_socket();
  if (::ioctl(socket.number(), SIOCGARP, &request) != 0 || (request.arp_flags & ATF_COM) == 0 ||
      request.arp_ha.sa_family != ARPHRD_ETHER) {
    return std::nullopt;
  }
  return mac_of(&request.arp_ha.sa_data);
}

std::optional<std::string> vlan_device_on(const std::string& parent, std::uint16_t id) {
  const platform::Descriptor socket = open_question_socket();
  for (const Interface& interface : list_interfaces()) {
    vlan_ioctl_args question{};
    question.cmd = GET_VLAN_VID_CMD;
    interface.name.copy(question.device1, sizeof(question.device1) - 1);
    if (::ioctl(socket.number(), SIOCGIFVLAN, &question) != 0 || question.u.VID != id) {
      continue;  // no VLAN device, or another one
    }
    question.cmd = GET_VLAN_REALDEV_NAME_CMD;
    if (::ioctl(socket.number(), SIOCGIFVLAN, &question) == 0 && parent == question.u.device2) {
      return interface.name;
    }
  }
  return std::nullopt;
}

}  // namespace rtecho::drivers

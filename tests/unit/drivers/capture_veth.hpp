// Two joined Ethernet interfaces, rtecho_a and rtecho_b, in a network namespace of this thread's own, and a bare socket
// on rtecho_b that sends and receives any frame. The namespace goes with the object.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <vector>

#include "platform/descriptor.hpp"
#include "rt_core/ethernet.hpp"

namespace rtecho::drivers {

class CaptureVeth {
 public:
  static constexpr const char* near_name = "rtecho_a";
  static constexpr const char* far_name = "rtecho_b";
  static constexpr MacAddress near_mac{
      {std::byte{2}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0xA}}};
  static constexpr MacAddress far_mac{
      {std::byte{2}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0xB}}};

  CaptureVeth() : outside_(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC)) {
    if (geteuid() != 0 || !outside_.is_open() || unshare(CLONE_NEWNET) != 0) {
      outside_.close();
      return;
    }
    is_made_ = run("ip link add rtecho_a address 02:00:00:00:00:0a type veth peer name rtecho_b "
                   "address 02:00:00:00:00:0b") &&
               run("ip link set rtecho_a addrgenmode none up") && run("ip link set rtecho_b addrgenmode none up");
    far_ = is_made_ ? platform::Descriptor(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(0x0003)))
                    : platform::Descriptor();
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(0x0003);  // every protocol
    address.sll_ifindex = static_cast<int>(if_nametoindex(far_name));
    is_made_ = is_made_ && ::bind(far_.number(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~CaptureVeth() {
    far_.close();
    if (outside_.is_open() && setns(outside_.number(), CLONE_NEWNET) != 0) {
      std::abort();  // every later test would run in the wrong namespace
    }
  }
  CaptureVeth(const CaptureVeth&) = delete;
  CaptureVeth& operator=(const CaptureVeth&) = delete;

  // False: not root, or no iproute2.
  [[nodiscard]] bool is_made() const { return is_made_; }

  static bool run(const char* command) { return std::system(command) == 0; }

  [[nodiscard]] bool send(std::span<const std::byte> frame) const {
    return ::send(far_.number(), frame.data(), frame.size(), 0) == static_cast<ssize_t>(frame.size());
  }
  // The next frame that came from the near end, of those of this EtherType; empty after a second without one. A VLAN
  // tag has been taken out by then.
  [[nodiscard]] std::vector<std::byte> receive(std::uint16_t type) const {
    std::vector<std::byte> frame(65'536);
    pollfd entry{far_.number(), POLLIN, 0};
    while (::poll(&entry, 1, 1'000) > 0) {
      sockaddr_ll from{};
      socklen_t length = sizeof(from);
      const ssize_t bytes =
          ::recvfrom(far_.number(), frame.data(), frame.size(), 0, reinterpret_cast<sockaddr*>(&from), &length);
      if (bytes >= 0 && from.sll_pkttype != PACKET_OUTGOING && from.sll_protocol == htons(type)) {
        frame.resize(static_cast<std::size_t>(bytes));
        return frame;
      }
    }
    return {};
  }

 private:
  platform::Descriptor outside_;
  platform::Descriptor far_;
  bool is_made_ = false;
};

}  // namespace rtecho::drivers

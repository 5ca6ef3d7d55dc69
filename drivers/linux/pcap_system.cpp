#include "pcap_system.hpp"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string_view>

namespace rtecho::drivers {

// libpcap then reads a ring of frames (TPACKET_V2) instead of one of blocks (V3), in which a lone frame waits for the
// block's timeout. It can fail on an activated handle only.
void deliver_at_once(pcap_t* handle) noexcept {
  pcap_set_immediate_mode(handle, 1);
}

void send_directly(pcap_t* handle) noexcept {
  const int socket = pcap_get_selectable_fd(handle);  // the packet socket itself
  constexpr int on = 1;
  for (const int option : {PACKET_IGNORE_OUTGOING, PACKET_QDISC_BYPASS}) {
    (void)::setsockopt(socket, SOL_PACKET, option, &on, sizeof(on));  // Linux before 4.20 knows only the second one
  }
}

void wait_for_frame(pcap_t* handle, Duration longest) noexcept {
  pollfd entry{};
  entry.fd = pcap_get_selectable_fd(handle);
  entry.events = POLLIN;
  timespec timeout{};
  timeout.tv_sec = longest.ns() / 1'000'000'000;
  timeout.tv_nsec = longest.ns() % 1'000'000'000;
  ::ppoll(&entry, 1, &timeout, nullptr);  // whatever it says, the next look finds out
}

void forget_send_fault() noexcept {
  errno = 0;
}

// errno is that of send(2): what libpcap does afterwards, making a sentence of it, leaves it alone.
PcapSendFault last_send_fault() noexcept {
  switch (errno) {
    case EAGAIN:
      return PcapSendFault::would_block;
    case ENOBUFS:
    case ENOMEM:
      return PcapSendFault::no_buffer;
    case ENETDOWN:
      return PcapSendFault::link_down;
    case ENXIO:
    case ENODEV:
      return PcapSendFault::interface_gone;
    default:
      return PcapSendFault::other;
  }
}

// libpcap has no code for it, only this sentence (pcap-linux.c, pcap_wait_for_frames_mmap).
bool interface_is_gone(pcap_t* handle) noexcept {
  return std::string_view(pcap_geterr(handle)) == "The interface disappeared";
}

std::optional<std::string> ip_address_text(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = nullptr;
  if (address.sa_family == AF_INET) {
    bytes = &reinterpret_cast<const sockaddr_in&>(address).sin_addr;
  } else if (address.sa_family == AF_INET6) {
    bytes = &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  }
  if (bytes == nullptr ||
      ::inet_ntop(address.sa_family, bytes, text.data(), static_cast<socklen_t>(text.size())) == nullptr) {
    return std::nullopt;
  }
  return std::string(text.data());
}

std::optional<MacAddress> mac_address(const sockaddr& address) noexcept {
  if (address.sa_family != AF_PACKET) {
    return std::nullopt;
  }
  const auto& link = reinterpret_cast<const sockaddr_ll&>(address);
  if (link.sll_halen != MacAddress::bytes_count) {
    return std::nullopt;
  }
  MacAddress::Bytes bytes{};
  std::memcpy(bytes.data(), &link.sll_addr, bytes.size());
  return MacAddress(bytes);
}

}  // namespace rtecho::drivers

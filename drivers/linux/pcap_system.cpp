#include "pcap_system.hpp"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/packet_diag.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platform/descriptor.hpp"

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

namespace {

// One record of a netlink answer: netlink and its attributes both begin with a length, the header included, and are
// aligned to 4 bytes (netlink(7)). Absent where the bytes end before the record does.
template <typename Header>
std::optional<Header> record_at(std::span<const std::byte> bytes, std::size_t offset) {
  Header header{};
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Header)) {
    return std::nullopt;
  }
  std::memcpy(&header, bytes.data() + offset, sizeof(Header));
  return header;
}

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + 3) / 4 * 4;
}

// Of one packet socket's description, its attributes.
std::optional<packet_diag_ring> ring_of(std::span<const std::byte> attributes) {
  std::size_t at = 0;
  while (const auto header = record_at<nlattr>(attributes, at)) {
    if (header->nla_type == PACKET_DIAG_RX_RING) {
      return record_at<packet_diag_ring>(attributes, at + aligned(sizeof(nlattr)));
    }
    if (header->nla_len < sizeof(nlattr)) {
      break;
    }
    at += aligned(header->nla_len);
  }
  return std::nullopt;
}

// The kernel's word for a packet socket's ring (sock_diag(7), linux/packet_diag.h). Absent where it has none, or knows
// no packet_diag.
std::optional<packet_diag_ring> receive_ring_of(ino_t inode) {
  const platform::Descriptor netlink(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  struct {
    nlmsghdr header;
    packet_diag_req question;
  } request{};
  request.header.nlmsg_len = sizeof(request);
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.question.sdiag_family = AF_PACKET;
  request.question.pdiag_show = PACKET_SHOW_RING_CFG;
  if (::send(netlink.number(), &request, sizeof(request), 0) < 0) {
    return std::nullopt;
  }
  constexpr std::size_t answer_bytes = 32 * 1024;
  std::vector<std::byte> answer(answer_bytes);
  for (;;) {
    const ssize_t received = ::recv(netlink.number(), answer.data(), answer.size(), 0);
    if (received <= 0) {
      return std::nullopt;
    }
    const std::span<const std::byte> bytes = std::span(answer).first(static_cast<std::size_t>(received));
    std::size_t at = 0;
    while (const auto header = record_at<nlmsghdr>(bytes, at)) {
      const auto socket = record_at<packet_diag_msg>(bytes, at + aligned(sizeof(nlmsghdr)));
      if (header->nlmsg_type != SOCK_DIAG_BY_FAMILY || !socket) {
        return std::nullopt;  // the end of the list, or an error
      }
      const std::size_t fixed = aligned(sizeof(nlmsghdr)) + aligned(sizeof(packet_diag_msg));
      const std::size_t whole = header->nlmsg_len;
      if (whole < fixed || whole > bytes.size() - at) {
        return std::nullopt;
      }
      if (socket->pdiag_ino == inode) {
        return ring_of(bytes.subspan(at + fixed, whole - fixed));
      }
      at += aligned(whole);
    }
  }
}

// Where this process has mapped the socket: one mapping of this length.
const std::byte* mapping_of(ino_t inode, std::size_t bytes) {
  const std::string name = "socket:[" + std::to_string(inode) + "]";
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (!line.ends_with(name)) {
      continue;
    }
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    const char* const last = line.data() + line.size();
    const auto [dash, first_fault] = std::from_chars(line.data(), last, begin, 16);
    if (first_fault == std::errc{} && dash < last && std::from_chars(dash + 1, last, end, 16).ec == std::errc{} &&
        end - begin == bytes) {
      return reinterpret_cast<const std::byte*>(begin);  // NOLINT(performance-no-int-to-ptr): it is our own memory
    }
  }
  return nullptr;
}

}  // namespace

std::optional<PcapGlance::Ring> mapped_ring(pcap_t* handle) {
  const int socket = pcap_get_selectable_fd(handle);
  int version = -1;
  socklen_t length = sizeof(version);
  struct stat status {};
  if (::getsockopt(socket, SOL_PACKET, PACKET_VERSION, &version, &length) != 0 || version != TPACKET_V2 ||
      ::fstat(socket, &status) != 0) {
    return std::nullopt;
  }
  const std::optional<packet_diag_ring> ring = receive_ring_of(status.st_ino);
  if (!ring || ring->pdr_frame_size == 0 || ring->pdr_block_size < ring->pdr_frame_size) {
    return std::nullopt;
  }
  PcapGlance::Ring mapped{.begin = nullptr,
                          .block_bytes = ring->pdr_block_size,
                          .blocks = ring->pdr_block_nr,
                          .slot_bytes = ring->pdr_frame_size};
  mapped.begin = mapping_of(status.st_ino, mapped.block_bytes * mapped.blocks);
  return mapped.begin == nullptr ? std::nullopt : std::optional(mapped);
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

// Frames of every kind, right and wrong, and a packet socket that puts them on a link and catches what comes from
// there.
#pragma once

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "drivers/frame_selection.hpp"
#include "platform/descriptor.hpp"
#include "rt_core/bytes.hpp"
#include "rt_core/ethernet.hpp"
#include "rt_core/time.hpp"

namespace rtecho::drivers::test {

using Frame = std::vector<std::byte>;

// The header and `payload_bytes` bytes that count up.
inline Frame ethernet_frame(const EthernetHeader& header, std::size_t payload_bytes) {
  Frame frame(header.bytes() + payload_bytes);
  header.emit(frame);
  for (std::size_t i = 0; i < payload_bytes; ++i) {
    frame[header.bytes() + i] = static_cast<std::byte>(i);
  }
  return frame;
}

// As the receiver's kernel shows it: the tag is beside the frame.
inline Frame without_tag(Frame frame) {
  frame.erase(frame.begin() + ethernet_offset::type, frame.begin() + ethernet_offset::type + vlan_tag_bytes);
  return frame;
}

struct Ipv4Frame {
  EthernetHeader ethernet{.destination = {}, .source = {}, .tag = std::nullopt, .type = ether_type::ipv4};
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint8_t protocol = 17;
  std::uint16_t fragment = 0;     // flags and offset as they stand in the header
  std::uint8_t header_words = 5;  // fewer are only claimed
  std::uint8_t version = 4;
  Frame payload{};

  [[nodiscard]] Frame bytes() const {
    const std::size_t header_bytes = std::max(std::size_t{header_words}, std::size_t{5}) * 4;
    Frame frame = ethernet_frame(ethernet, header_bytes + payload.size());
    const std::span<std::byte> ip = std::span(frame).subspan(ethernet.bytes());
    std::fill(ip.begin(), ip.end(), std::byte{0});
    ip[0] = static_cast<std::byte>(version << 4U | header_words);
    store_big_endian(ip, 2, static_cast<std::uint16_t>(ip.size()));
    store_big_endian(ip, 6, fragment);
    ip[8] = std::byte{64};
    ip[9] = std::byte{protocol};
    store_big_endian(ip, 12, from);
    store_big_endian(ip, 16, to);
    std::fill(ip.begin() + 20, ip.begin() + static_cast<std::ptrdiff_t>(header_bytes), std::byte{1});  // no operation
    store_big_endian(ip, 10, checksum(ip.first(header_bytes)));
    std::ranges::copy(payload, ip.begin() + static_cast<std::ptrdiff_t>(header_bytes));
    return frame;
  }

  // RFC 1071.
  static std::uint16_t checksum(std::span<const std::byte> bytes) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
      sum += load_big_endian<std::uint16_t>(bytes, i);
    }
    sum = (sum & 0xFFFFU) + (sum >> 16U);
    return static_cast<std::uint16_t>(~(sum + (sum >> 16U)));
  }
};

// A UDP header without a checksum, and bytes that count up.
inline Frame udp_payload(std::uint16_t from, std::uint16_t to, std::size_t payload_bytes) {
  Frame bytes(8 + payload_bytes);
  store_big_endian(bytes, 0, from);
  store_big_endian(bytes, 2, to);
  store_big_endian(bytes, 4, static_cast<std::uint16_t>(bytes.size()));
  for (std::size_t i = 8; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(i);
  }
  return bytes;
}

struct ArpFrame {
  EthernetHeader ethernet{
      .destination = MacAddress::broadcast(), .source = {}, .tag = std::nullopt, .type = ether_type::arp};
  std::uint16_t operation = 1;
  std::uint32_t target = 0;
  std::uint32_t sender = 0;
  std::uint16_t sizes = 0x0604;

  [[nodiscard]] Frame bytes() const {
    Frame frame = ethernet_frame(ethernet, 46);
    const std::span<std::byte> arp = std::span(frame).subspan(ethernet.bytes());
    std::ranges::fill(arp, std::byte{0});
    store_big_endian(arp, 0, std::uint32_t{0x0001'0800});
    store_big_endian(arp, 4, sizes);
    store_big_endian(arp, 6, operation);
    store_mac(arp, 8, ethernet.source);
    store_big_endian(arp, 14, sender);
    store_big_endian(arp, 24, target);
    return frame;
  }
};

struct CaughtFrame {
  Frame bytes;
  std::optional<std::uint16_t> tag;
};

// On an interface of the calling thread's namespace.
class RawFrameSocket {
 public:
  explicit RawFrameSocket(const std::string& interface)
      : socket_(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL))) {
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(ETH_P_ALL);
    address.sll_ifindex = static_cast<int>(::if_nametoindex(interface.c_str()));
    const int on = 1;
    const int ignore_outgoing = 23;
    is_open_ = ::setsockopt(socket_.number(), SOL_PACKET, ignore_outgoing, &on, sizeof(on)) == 0 &&
               ::setsockopt(socket_.number(), SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on)) == 0 &&
               ::bind(socket_.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }

  [[nodiscard]] bool is_open() const { return is_open_; }
  bool send(std::span<const std::byte> frame) {
    return ::send(socket_.number(), frame.data(), frame.size(), 0) == static_cast<ssize_t>(frame.size());
  }

  // The next frame that the other end sent; absent when none comes in time.
  std::optional<CaughtFrame> receive(Duration longest = Duration::from_s(2)) {
    pollfd entry{.fd = socket_.number(), .events = POLLIN, .revents = 0};
    if (::poll(&entry, 1, static_cast<int>(longest.ns() / 1'000'000)) <= 0) {
      return std::nullopt;
    }
    CaughtFrame caught{.bytes = Frame(70'000), .tag = std::nullopt};
    iovec bytes{.iov_base = caught.bytes.data(), .iov_len = caught.bytes.size()};
    alignas(cmsghdr) std::array<char, 256> control{};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t length = ::recvmsg(socket_.number(), &message, MSG_DONTWAIT);
    if (length < 0) {
      return std::nullopt;
    }
    caught.bytes.resize(static_cast<std::size_t>(length));
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
      if (part->cmsg_level == SOL_PACKET && part->cmsg_type == PACKET_AUXDATA) {
        tpacket_auxdata facts{};
        std::memcpy(&facts, CMSG_DATA(part), sizeof(facts));
        if ((facts.tp_status & TP_STATUS_VLAN_VALID) != 0) {
          caught.tag = facts.tp_vlan_tci;
        }
      }
    }
    return caught;
  }

 private:
  platform::Descriptor socket_;
  bool is_open_ = false;
};

}  // namespace rtecho::drivers::test

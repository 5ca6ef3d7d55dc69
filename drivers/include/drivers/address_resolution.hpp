// Asks the link who has an IPv4 address, without the kernel: for an address that the kernel does not hold, and before
// it is taken, to see that nobody else has it (RFC 826, RFC 5227). For ordinary code, before a run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "drivers/frame_checks.hpp"
#include "rt_core/arp.hpp"
#include "rt_core/ethernet.hpp"
#include "rt_core/frame_port.hpp"
#include "rt_core/limits.hpp"
#include "rt_core/time.hpp"

namespace rtecho::drivers {

struct AddressQuestion {
  MacAddress local_mac;
  std::uint32_t local_address = 0;  // 0: a probe, which claims nothing and leaves no entry in anybody's table
  std::optional<VlanTag> tag;
  std::uint32_t wanted = 0;
  int requests = 3;
  Duration between = Duration::from_ms(100);
};

namespace detail {

// False where the driver took no frame: a link that takes nothing now may take the next one.
template <FramePort Frames>
bool send_arp(Frames& frames, const std::optional<VlanTag>& tag, const ArpPacket& packet) {
  const EthernetHeader header{MacAddress::broadcast(), packet.sender_mac, tag, ether_type::arp};
  const std::span<std::byte> frame = frames.acquire(ethernet_frame_bytes_min + vlan_tag_bytes);
  if (frame.size() < header.bytes() + arp_packet_bytes) {
    return false;
  }
  for (std::byte& byte : frame) {
    byte = std::byte{0};
  }
  header.emit(frame);
  packet.emit(frame.subspan(header.bytes()));
  return frames.send(frame) == SendOutcome::sent;
}

}  // namespace detail

// Tells everybody who waits for it, or has it from somebody else, where the address is now (RFC 5227, 2.3).
template <FramePort Frames>
void announce_address(Frames& frames, const MacAddress& local_mac, std::uint32_t local_address,
                      const std::optional<VlanTag>& tag) {
  detail::send_arp(frames, tag,
                   ArpPacket{ArpOperation::request, local_mac, local_address, MacAddress{}, local_address});
}

// Absent where nobody answered. The port must bring ARP packets (UdpSelection::own_address) and hold no arrivals. Takes
// at most requests · between; every other frame that arrives meanwhile is thrown away.
template <FramePort Frames>
std::optional<MacAddress> ask_for_station(Frames& frames, const AddressQuestion& question) {
  const ArpPacket request{ArpOperation::request, question.local_mac, question.local_address, MacAddress{},
                          question.wanted};
  std::array<FrameArrival, limits::receive_batch> arrivals{};
  for (int i = 0; i < question.requests; ++i) {
    detail::send_arp(frames, question.tag, request);
    const Instant give_up = frames.now() + question.between;
    do {
      std::optional<MacAddress> found;
      const std::size_t count = frames.receive(arrivals);
      for (const FrameArrival& arrival : std::span(arrivals).first(count)) {
        const std::optional<EthernetView> view = EthernetView::of(arrival.bytes);
        ArpPacket packet;
        if (view && view->type() == ether_type::arp && is_of_vlan(arrival, *view, question.tag) &&
            ArpPacket::parse(view->payload(), packet) && packet.sender_address == question.wanted &&
            packet.sender_mac.is_station() && packet.sender_mac != question.local_mac) {
          found = packet.sender_mac;
        }
        frames.release(arrival);
      }
      if (found) {
        return found;
      }
      frames.wait(give_up);
    } while (frames.now() < give_up);
  }
  return std::nullopt;
}

}  // namespace rtecho::drivers

// What every protocol over frames asks of a frame before it reads it.
#pragma once

#include <cstddef>
#include <optional>

#include "rt_core/ethernet.hpp"
#include "rt_core/frame_port.hpp"
#include "rt_core/time.hpp"

namespace rtecho::drivers {

// How long a frame driver bears a link that is down while somebody wants to send: as long as a client bears a silent
// peer.
inline constexpr Duration link_down_longest = Duration::from_s(3);

// Whether the frame belongs to this VLAN, wherever its tag is: still in the frame, or taken out by the NIC or the
// kernel. A tag of id 0 carries a priority only and makes no VLAN (IEEE 802.1Q, 6.9). Two tags belong to nobody here.
[[nodiscard]] inline bool is_of_vlan(const FrameArrival& arrival, const EthernetView& frame,
                                     const std::optional<VlanTag>& tag) noexcept {
  if (arrival.tag_was_stripped && frame.tag()) {
    return false;
  }
  std::uint16_t id = 0;
  if (arrival.tag_was_stripped) {
    id = VlanTag::from_control(arrival.stripped_tag).id;
  } else if (frame.tag()) {
    id = frame.tag()->id;
  }
  return id == (tag ? tag->id : 0);
}

// Whether headers of so many bytes fit in front of this byte of the arrival: into the arrival, and the headroom in
// front of it.
[[nodiscard]] inline bool fits_in_front(const FrameArrival& arrival, const std::byte* content, std::size_t bytes,
                                        std::size_t headroom_bytes) noexcept {
  return bytes <= static_cast<std::size_t>(content - arrival.bytes.data()) + headroom_bytes;
}

}  // namespace rtecho::drivers

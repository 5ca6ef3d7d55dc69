// A FrameSelection as a program for the kernel: classic BPF, as packet sockets take it (SO_ATTACH_FILTER, socket(7);
// the instructions are those of linux/filter.h). What it refuses is never copied into the ring.
#pragma once

#include <linux/filter.h>

#include <vector>

#include "drivers/frame_selection.hpp"

namespace rtecho::drivers {

// The kernel takes the VLAN tag out before any packet socket sees the frame, and its control information is
// kept beside it; a tag that stands in the frame is a second one, and is refused like every other EtherType.
[[nodiscard]] std::vector<sock_filter> make_frame_filter(const FrameSelection& selection);

}  // namespace rtecho::drivers

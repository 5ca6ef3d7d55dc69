// Frames through a capture: libpcap on Linux, from the same source Npcap. The slowest of the frame drivers, and the one
// that runs everywhere: both ends spinning on a veth pair, 80 bytes took 6.8 us (median round trip).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "drivers/pcap_glance.hpp"
#include "drivers/pcap_handle.hpp"
#include "platform/clock.hpp"
#include "rt_core/frame_block.hpp"
#include "rt_core/frame_port.hpp"
#include "rt_core/limits.hpp"
#include "rt_core/time.hpp"

namespace rtecho::drivers {

// libpcap keeps a frame only until it is asked for the next one, so each is copied once into a slot of this port. Its
// own pcap_next_ex copies too, brings one frame a call, and is no faster: both took 130 ns for 60 bytes and 180 ns for
// 1,514. VLAN tags stand in the frames, also where the NIC or the kernel took them out: libpcap puts them back. It does
// not tell what is known of a checksum.
class PcapPort {
 public:
  static constexpr std::uint32_t slots = limits::receive_batch;
  // A cache line, so that a frame begins on one.
  static constexpr std::size_t headroom_bytes = limits::cache_line_bytes;

  // One slot for each arrival of a look, and the one that acquire() lends.
  static constexpr std::size_t memory_bytes(std::uint32_t snap_bytes) {
    return FrameBlock::bytes_for(slots + 1, headroom_bytes + snap_bytes);
  }

  // `memory` (best page aligned, locked and touched; memory_bytes() of the capture's snap_bytes) must outlive the port.
  PcapPort(PcapHandle handle, std::span<std::byte> memory);

  [[nodiscard]] Instant now() noexcept { return platform::MonotonicClock::now(); }

  // A look that finds nothing is a load from the ring where that is known (PcapGlance), else one poll(2).
  [[nodiscard]] std::size_t receive(std::span<FrameArrival> arrivals) noexcept;

  SendOutcome reply(const FrameArrival& arrival, std::span<std::byte> frame) noexcept;
  void release(const FrameArrival&) noexcept {}  // all slots are free again at the next look

  // The kernel copies what is sent: the memory is free again when `send` returns.
  [[nodiscard]] std::span<std::byte> acquire(std::size_t bytes) noexcept;
  SendOutcome send(std::span<std::byte> frame) noexcept { return transmit(frame); }

  // Blocks until a frame comes, but never longer than 20 ms, so that the loop sees its stop flag.
  void wait(Instant until) noexcept;

  [[nodiscard]] FrameCapabilities capabilities() const noexcept;
  // A link that is down is open still, for 3 s of attempts to send (link_down_longest), then `failed`; an interface
  // that is gone does not come back.
  [[nodiscard]] PortHealth health() const noexcept { return health_; }
  [[nodiscard]] PortCounters counters() const noexcept;

  [[nodiscard]] const PcapHandle& handle() const noexcept { return handle_; }
  // Whether empty looks are spared; known with the first frame.
  [[nodiscard]] bool spares_looks() const noexcept { return glance_.is_in_step(); }

 private:
  SendOutcome transmit(std::span<const std::byte> frame) noexcept;

  PcapGlance glance_;  // of the handle's ring
  PcapHandle handle_;
  FrameBlock block_;
  Instant refusals_began_;  // of a link that is down; 0: the last frame was taken
  PortHealth health_ = PortHealth::open;
  PortCounters counters_;
};

static_assert(FramePort<PcapPort>);

}  // namespace rtecho::drivers

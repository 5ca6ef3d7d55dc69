// Frames by way of a packet socket's ring: a look is a load from shared memory, a frame sent is one system call. The
// quickest way that needs neither a program in the kernel nor a NIC of one's own.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>

#include "drivers/packet_ring.hpp"
#include "platform/clock.hpp"
#include "rt_core/frame_port.hpp"
#include "rt_core/message_port.hpp"
#include "rt_core/time.hpp"

namespace rtecho::drivers {

class RingPort {
 public:
  explicit RingPort(PacketRing ring) noexcept;

  [[nodiscard]] Instant now() noexcept { return platform::MonotonicClock::now(); }

  // No system call. The frames stay in their slots of the ring until they are answered or released, in any order; a
  // slot that is kept stops the ring when it comes round to it.
  [[nodiscard]] std::size_t receive(std::span<FrameArrival> arrivals) noexcept;

  // `frame` may begin PacketRing::headroom_bytes before the arrival's bytes and end at its slot's end.
  SendOutcome reply(const FrameArrival& arrival, std::span<std::byte> frame) noexcept;
  void release(const FrameArrival& arrival) noexcept;

  // A frame may be as long as capabilities() say, and four bytes more when it has a VLAN tag. The kernel or the
  // transmit ring has a copy when `send` returns `sent`.
  [[nodiscard]] std::span<std::byte> acquire(std::size_t bytes) noexcept;
  SendOutcome send(std::span<std::byte> frame) noexcept { return transmit(frame); }

  // Blocks until a frame comes, but never longer than about 20 ms, so that the loop sees its stop flag.
  void wait(Instant until) noexcept;

  [[nodiscard]] FrameCapabilities capabilities() const noexcept;
  // `failed` when the link has been down for 3 s (link_down_longest) of attempts to send. `peer_closed` when the
  // interface has gone from this namespace, which a wait or a send finds out. A link that is down can come up again,
  // and an interface that has another name is still the same one: both leave it `open`.
  [[nodiscard]] PortHealth health() const noexcept { return health_; }
  // Asks the kernel for the frames that found the ring full: one system call. A link without a partner is told from
  // full queues by the kernel's word for it, which is up to a second late: until then it is counted as
  // `send_no_buffer`.
  [[nodiscard]] PortCounters counters() const noexcept;
  // What was granted.
  [[nodiscard]] const PacketRing& ring() const noexcept { return ring_; }

 private:
  [[nodiscard]] bool has_frame() const noexcept;
  SendOutcome transmit(std::span<const std::byte> frame) noexcept;
  [[nodiscard]] int push(std::span<const std::byte> frame) noexcept;
  SendOutcome count_refusal(int os_code) noexcept;
  [[nodiscard]] SendOutcome note_link_down() noexcept;
  void look_after_interface() noexcept;

  PacketRing ring_;
  int socket_;  // the ring's
  std::uint32_t next_ = 0;
  std::uint32_t next_transmit_ = 0;
  PortHealth health_ = PortHealth::open;
  Instant refusals_began_;      // 0: the last frame was taken
  bool link_was_down_ = false;  // the interface may be about to go
  std::bitset<RingPlan::frames_max> is_held_;
  mutable PortCounters counters_;  // reading the kernel's number of drops clears it there
};

static_assert(FramePort<RingPort>);

}  // namespace rtecho::drivers

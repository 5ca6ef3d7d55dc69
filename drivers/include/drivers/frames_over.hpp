// A message port whose messages are taken for Ethernet frames. So the loopback link becomes a wire, and FaultPort over
// it a bad one, for the protocols that are made of frames.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rt_core/ethernet.hpp"
#include "rt_core/frame_port.hpp"
#include "rt_core/limits.hpp"
#include "rt_core/message_port.hpp"
#include "rt_core/time.hpp"

namespace rtecho::drivers {

template <MessagePort Wire>
class FramesOver {
 public:
  // `wire` must outlive this.
  explicit FramesOver(Wire& wire) noexcept : wire_(wire) {}

  [[nodiscard]] Instant now() noexcept { return wire_.now(); }

  [[nodiscard]] std::size_t receive(std::span<FrameArrival> arrivals) noexcept {
    const std::size_t room = arrivals.size() < wire_arrivals_.size() ? arrivals.size() : wire_arrivals_.size();
    const std::size_t count = wire_.receive(std::span(wire_arrivals_).first(room));
    for (std::size_t i = 0; i < count; ++i) {
      const Arrival& arrival = wire_arrivals_[i];
      arrivals[i] = FrameArrival{.bytes = arrival.bytes, .slot = arrival.slot, .truncated = arrival.truncated};
    }
    return count;
  }

  SendOutcome reply(const FrameArrival& arrival, std::span<std::byte> frame) noexcept {
    return wire_.reply(Arrival{.bytes = frame, .slot = arrival.slot});
  }
  void release(const FrameArrival& arrival) noexcept {
    wire_.release(Arrival{.bytes = arrival.bytes, .slot = arrival.slot});
  }
  [[nodiscard]] std::span<std::byte> acquire(std::size_t bytes) noexcept { return wire_.acquire(bytes); }
  SendOutcome send(std::span<std::byte> frame) noexcept { return wire_.send(frame); }
  void wait(Instant until) noexcept { wire_.wait(until); }

  // The wire carries a VLAN tag on top of the longest frame, as every Ethernet does.
  [[nodiscard]] FrameCapabilities capabilities() const noexcept {
    const PortCapabilities wire = wire_.capabilities();
    constexpr std::uint32_t tag_bytes = vlan_tag_bytes;
    return {.frame_bytes_max = wire.message_bytes_max > tag_bytes ? wire.message_bytes_max - tag_bytes : 0,
            .receive_batch_max = wire.receive_batch_max,
            .reply_copies = wire.reply_copies};
  }
  [[nodiscard]] PortHealth health() const noexcept { return wire_.health(); }
  [[nodiscard]] PortCounters counters() const noexcept { return wire_.counters(); }

 private:
  Wire& wire_;
  std::array<Arrival, limits::receive_batch> wire_arrivals_{};
};

}  // namespace rtecho::drivers

// A message port, a frame port and a clock of which only the declarations exist: whatever else an object over them
// leaves undefined, the loops themselves need.
#pragma once

#include <cstddef>
#include <span>

#include "rt_core/frame_port.hpp"
#include "rt_core/message_port.hpp"
#include "rt_core/time.hpp"

namespace rtecho::freestanding {

class ExternPort {
 public:
  [[nodiscard]] Instant now() noexcept;
  [[nodiscard]] std::size_t receive(std::span<Arrival> arrivals) noexcept;
  SendOutcome reply(const Arrival& arrival) noexcept;
  void release(const Arrival& arrival) noexcept;
  [[nodiscard]] std::span<std::byte> acquire(std::size_t bytes) noexcept;
  SendOutcome send(std::span<std::byte> frame) noexcept;
  void wait(Instant until) noexcept;
  [[nodiscard]] PortCapabilities capabilities() const noexcept;
  [[nodiscard]] PortHealth health() const noexcept;
  [[nodiscard]] PortCounters counters() const noexcept;
};
static_assert(MessagePort<ExternPort>);

class ExternFramePort {
 public:
  [[nodiscard]] Instant now() noexcept;
  [[nodiscard]] std::size_t receive(std::span<FrameArrival> arrivals) noexcept;
  SendOutcome reply(const FrameArrival& arrival, std::span<std::byte> frame) noexcept;
  void release(const FrameArrival& arrival) noexcept;
  [[nodiscard]] std::span<std::byte> acquire(std::size_t bytes) noexcept;
  SendOutcome send(std::span<std::byte> frame) noexcept;
  void wait(Instant until) noexcept;
  [[nodiscard]] FrameCapabilities capabilities() const noexcept;
  [[nodiscard]] PortHealth health() const noexcept;
  [[nodiscard]] PortCounters counters() const noexcept;
};
static_assert(FramePort<ExternFramePort>);

class ExternClock {
 public:
  [[nodiscard]] Instant now() noexcept;
};

}  // namespace rtecho::freestanding

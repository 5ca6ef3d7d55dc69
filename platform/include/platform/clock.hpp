// The two clocks of a run: the monotonic one that every measured time comes from, and the wall clock that only
// dates a report. Nothing measured is ever taken from the wall clock.
#pragma once

#include <string>

#include "rt_core/time.hpp"

namespace rtecho::platform {

// CLOCK_MONOTONIC through the vDSO: 20 to 30 ns a call with a tsc or kvm-clock clocksource, no system call.
struct MonotonicClock {
  [[nodiscard]] static Instant now() noexcept;
};

// Blocks the calling thread until the instant. May return early when a signal arrives; returns at once when the
// instant has passed.
void sleep_until(Instant until) noexcept;

// The wall clock in whole seconds, as in 2026-11-30T21:04:37Z.
[[nodiscard]] std::string utc_now_rfc3339();
// What is added to an Instant to get the time since 1970 (UTC) of the same moment; changes when the clock is set.
[[nodiscard]] Duration wall_clock_offset() noexcept;

}  // namespace rtecho::platform

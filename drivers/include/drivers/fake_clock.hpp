// A clock that moves only when it is told to: time for unit tests and for the simulated link.
#pragma once

#include "rt_core/time.hpp"

namespace rtecho::drivers {

class FakeClock {
 public:
  FakeClock() = default;
  explicit FakeClock(Instant start) : now_(start) {}

  [[nodiscard]] Instant now() const noexcept { return now_; }
  void advance(Duration by) noexcept { now_ += by; }
  // A clock never runs backwards: an instant that has passed changes nothing.
  void advance_to(Instant instant) noexcept {
    if (now_ < instant) {
      now_ = instant;
    }
  }

 private:
  Instant now_;
};

}  // namespace rtecho::drivers

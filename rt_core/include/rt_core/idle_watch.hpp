// When a spinning loop must stop spinning. A spinner that has seen no message for its idle limit blocks until the
// next one: it keeps RT throttling and the kernel's fair server away, and leaves a small machine alive.
#pragma once

#include <cstdint>

#include "rt_core/time.hpp"

namespace rtecho {

enum class WaitMode : std::uint8_t { spin, block };

struct WaitPlan {
  WaitMode mode = WaitMode::spin;
  Duration idle_limit = Duration::from_ms(2);

  // 2 ms, or twice the spacing that the ends agreed on if that is more, but never above 20 ms: whoever spins longer
  // for a message spins without a rest.
  [[nodiscard]] static constexpr Duration idle_limit_for(Duration spacing) {
    const Duration twice = longer(Duration::from_ms(2), spacing * 2);
    return twice > Duration::from_ms(20) ? Duration::from_ms(20) : twice;
  }
};

class IdleWatch {
 public:
  explicit IdleWatch(const WaitPlan& plan) : plan_(plan) {}

  // After each step: did it do anything, and when was it. True where the loop should wait on its port now.
  [[nodiscard]] bool should_wait(bool worked, Instant now) {
    if (worked || !started_) {
      last_work_ = now;
      started_ = true;
      blocked_ = false;
      return false;
    }
    if (plan_.mode == WaitMode::block) {
      return true;
    }
    if (now - last_work_ < plan_.idle_limit) {
      return false;
    }
    if (!blocked_) {
      blocked_ = true;
      ++blocked_waits_;
    }
    return true;
  }

  // How often a spinner gave up spinning. One long pause counts once, in however many waits it was spent.
  [[nodiscard]] std::uint64_t blocked_waits() const { return blocked_waits_; }

 private:
  WaitPlan plan_;
  Instant last_work_;
  std::uint64_t blocked_waits_ = 0;
  bool started_ = false;
  bool blocked_ = false;
};

}  // namespace rtecho

// Watches the loop itself: the time between two looks at the port. A gap is what the loop could not see: an
// interrupt, a descheduling, a hypervisor; or work of the loop that took long. Waiting on purpose is no gap.
#pragma once

#include <cstdint>
#include <limits>

#include "rt_core/largest_keeper.hpp"
#include "rt_core/limits.hpp"
#include "rt_core/time.hpp"

namespace rtecho {

struct Gap {
  Instant at;  // its end: the look that came late
  Duration length;
};

class GapWatch {
 public:
  // Gaps of at least `threshold` are counted and the longest ones kept.
  explicit GapWatch(Duration threshold) : threshold_(threshold), notable_(shorter(threshold, saturated)) {}

  // The gap that ended with this look where it reached the threshold, else a length of 0.
  Duration look(Instant now) {
    const Duration length = now - last_;
    last_ = now;
    if (length > longest_since_taken_) {
      longest_since_taken_ = length;
    }
    return length < notable_ ? Duration{} : end_gap(now, length);
  }

  // The time until the next look was spent waiting on purpose.
  void pause() { last_ = never; }

  // Longest time between two looks since the last call, in ns, as the wire carries it.
  std::uint32_t take_longest_ns() {
    const std::int64_t ns = longest_since_taken_.ns();
    longest_since_taken_ = Duration{};
    return static_cast<std::uint32_t>(ns);
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Longest gap that reached the threshold; 0 where none did.
  [[nodiscard]] Duration maximum() const { return maximum_; }
  [[nodiscard]] const LargestKeeper<Gap, limits::gaps_kept>& kept() const { return longest_; }

 private:
  // No look to measure from: the length from here to any look is far below 0, and so below every threshold.
  static constexpr Instant never = Instant::from_ns(std::numeric_limits<std::int64_t>::max() / 2);

  static constexpr Duration saturated = Duration::from_ns(0xFFFF'FFFE);  // all ones means "not watched"

  [[gnu::noinline, gnu::cold]] Duration end_gap(Instant now, Duration length) {
    longest_since_taken_ = shorter(longest_since_taken_, saturated);
    if (length < threshold_) {
      return Duration{};
    }
    ++count_;
    longest_.offer(Gap{now, length});
    if (length > maximum_) {
      maximum_ = length;
    }
    return length;
  }

  Instant last_ = never;
  Duration threshold_;
  Duration notable_;  // a look needs more than a comparison from here on
  Duration longest_since_taken_;
  Duration maximum_;
  std::uint64_t count_ = 0;
  LargestKeeper<Gap, limits::gaps_kept> longest_;
};

}  // namespace rtecho

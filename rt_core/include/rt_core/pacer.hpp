// When messages are due. A pure schedule: no clock, no state but the place in it. Absolute, so that a late message
// never shifts a later one, and exact, so that 3 messages a second do not drift: the fractions of a nanosecond are
// carried, not dropped.
#pragma once

#include <cstdint>

#include "rt_core/assert.hpp"
#include "rt_core/time.hpp"

namespace rtecho {

enum class MissedPolicy : std::uint8_t {
  late,  // a slot that has passed is sent as soon as possible
  skip,  // a slot that has passed wholly is left out and counted
};

// Slot k is at k · seconds_ns_numerator / slots_per_numerator, rounded down. Without a spacing (numerator 0) a
// slot is due as soon as the window allows: ping-pong with window and burst 1.
struct PacingPlan {
  std::int64_t numerator_ns = 0;  // 10^9 for a rate in Hz, the interval for an interval
  std::int64_t denominator = 1;   // the rate in Hz, or 1
  std::uint32_t burst = 1;        // messages of one slot, all intended at its instant
  std::uint32_t window = 1;       // most messages outstanding
  MissedPolicy missed = MissedPolicy::late;

  [[nodiscard]] constexpr bool scheduled() const { return numerator_ns > 0; }
  // Rounded down: for budgets and idle limits, never for the schedule.
  [[nodiscard]] constexpr Duration spacing() const { return Duration::from_ns(numerator_ns / denominator); }
  // The instant of slot k from the first one. Division: not for a step.
  [[nodiscard]] constexpr Duration offset_of(std::int64_t slot) const {
    const std::int64_t whole = numerator_ns / denominator;
    const std::int64_t rest = numerator_ns % denominator;
    // rest · slot would overflow for long runs: split the slot number too.
    const std::int64_t full = slot / denominator;
    const std::int64_t part = slot % denominator;
    return Duration::from_ns(whole * slot + rest * full + rest * part / denominator);
  }
};

class Pacer {
 public:
  explicit Pacer(const PacingPlan& plan)
      : whole_ns_(plan.numerator_ns / plan.denominator),
        rest_(plan.numerator_ns % plan.denominator),
        denominator_(plan.denominator),
        burst_(plan.burst) {
    RTECHO_ASSERT(plan.denominator > 0 && plan.burst > 0 && plan.numerator_ns >= 0);
  }

  void start(Instant first_slot) {
    next_slot_ = first_slot;
    carried_ = 0;
    begin_slot();
  }
  // The schedule stood still for this long (a rest).
  void suspend(Duration length) {
    slot_ += length;
    next_slot_ += length;
  }

  // The instant of the next message.
  [[nodiscard]] Instant intended() const { return slot_; }
  [[nodiscard]] Instant next_slot() const { return next_slot_; }
  [[nodiscard]] bool at_slot_start() const { return sent_of_slot_ == 0; }

  // One message of the schedule is done with.
  void advance() {
    if (++sent_of_slot_ == burst_) {
      begin_slot();
    }
  }

 private:
  void begin_slot() {
    sent_of_slot_ = 0;
    slot_ = next_slot_;
    next_slot_ += Duration::from_ns(whole_ns_);
    carried_ += rest_;
    if (carried_ >= denominator_) {
      carried_ -= denominator_;
      next_slot_ += Duration::from_ns(1);
    }
  }

  Instant slot_;
  Instant next_slot_;
  std::int64_t whole_ns_;
  std::int64_t rest_;
  std::int64_t denominator_;
  std::int64_t carried_ = 0;
  std::uint32_t burst_;
  std::uint32_t sent_of_slot_ = 0;
};

}  // namespace rtecho

// How far a series has come: what the next message is sent for (warm-up, resume, recorded), and when a batch and
// the whole series are over.
//
// Most of a series are stretches: so many recorded messages before such an instant, in which nothing else is due. What
// is asked for a message of a stretch is two comparisons; everything else is looked at between stretches.
#pragma once

#include <cstdint>
#include <limits>

#include "rt_core/event_log.hpp"
#include "rt_core/run_plan.hpp"
#include "rt_core/time.hpp"

namespace rtecho {

class BatchProgress {
 public:
  explicit BatchProgress(const ClientPlan& plan)
      : batch_(plan.batch),
        resume_(effective_resume(plan)),
        run_for_(plan.run_for),
        warmup_left_(plan.warmup),
        recorded_left_(plan.run_for > Duration{} ? without_end : plan.count) {}

  // Without rests the warm-up is the beginning of the one batch.
  [[nodiscard]] bool next_batch_records() const { return warmup_left_ == 0 || !batch_.rests(); }

  void begin(Instant now) {
    leave_stretch();
    if (!began_once_) {
      began_once_ = true;
      series_began_ = now;
    }
    batch_began_ = now;
    warming_up_ = warmup_left_ > 0;
    resume_left_ = warming_up_ ? 0 : resume_;
    if (!warming_up_) {
      begin_recording(now);
    }
    attempts_left_ = attempts_of_batch();
    // A slow peer may need the whole time of a batch for the resume group: the clock of a batch that has one runs
    // only against the recorded messages, or a series would never end.
    batch_ends_ = batch_.rests() && resume_left_ == 0 ? batch_began_ + batch_.longest : never;
    resume_ends_ = batch_began_ + Duration::from_ns(batch_.longest.ns() / 5);
  }

  // Nothing is over, and the next message is a recorded one.
  [[nodiscard]] bool is_in_stretch(Instant now) const { return now < stretch_ends_; }
  // The message that is attempted now; only where is_in_stretch().
  void next_of_stretch() {
    if (--stretch_left_ == 0) [[unlikely]] {
      stretch_ends_ = long_ago;
    }
  }

  // What the message that is attempted now is sent for.
  MessageClass next(Instant now) {
    if (!is_in_stretch(now)) {
      return next_of_any(now);
    }
    next_of_stretch();
    return MessageClass::recorded;
  }

  // Asked between slots: a batch is never cut within a burst.
  [[nodiscard]] bool batch_is_over(Instant now) const {
    return attempts_left() == 0 || now >= batch_ends_ || series_is_over(now);
  }
  [[nodiscard]] bool series_is_over(Instant now) const {
    return !warming_up_ && (recorded_left() == 0 || now >= series_ends_);
  }
  // Where even a burst is cut: at the count, and at the end of a warm-up that has batches of its own.
  [[nodiscard]] bool nothing_is_left(Instant now) const {
    return warming_up_ ? warmup_left_ == 0 : series_is_over(now);
  }
  // When time alone ends the batch or the series; far away where only messages do.
  [[nodiscard]] Instant next_end() const { return earlier(batch_ends_, series_ends_); }

  [[nodiscard]] bool warming_up() const { return warming_up_; }
  [[nodiscard]] Duration series_length(Instant now) const { return began_once_ ? now - series_began_ : Duration{}; }
  [[nodiscard]] Duration batch_length(Instant now) const { return now - batch_began_; }

 private:
  static constexpr std::uint64_t without_end = std::numeric_limits<std::uint64_t>::max();
  static constexpr Instant never = Instant::from_ns(std::numeric_limits<std::int64_t>::max());
  static constexpr Instant long_ago = Instant::from_ns(std::numeric_limits<std::int64_t>::min());

  // What a stretch was given is taken from both counts beforehand.
  [[nodiscard]] std::uint64_t attempts_left() const { return attempts_left_ + stretch_left_; }
  [[nodiscard]] std::uint64_t recorded_left() const { return recorded_left_ + stretch_left_; }

  // Only once a message is recorded: no other class follows one within a batch.
  void enter_stretch() {
    stretch_left_ = lesser(attempts_left_, recorded_left_);
    attempts_left_ -= stretch_left_;
    recorded_left_ -= stretch_left_;
    stretch_ends_ = stretch_left_ != 0 ? next_end() : long_ago;
  }
  void leave_stretch() {
    attempts_left_ = attempts_left();
    recorded_left_ = recorded_left();
    stretch_left_ = 0;
    stretch_ends_ = long_ago;
  }

  [[gnu::noinline]] MessageClass next_of_any(Instant now) {
    leave_stretch();
    if (attempts_left_ > 0) {
      --attempts_left_;
    }
    if (warmup_left_ > 0) {
      if (--warmup_left_ == 0 && !batch_.rests()) {
        warming_up_ = false;  // the recorded ones follow without a rest
        begin_recording(now);
      }
      return MessageClass::warmup;
    }
    if (resume_left_ > 0 && now < resume_ends_) {
      --resume_left_;
      return MessageClass::resume;
    }
    if (resume_left_ > 0 || batch_ends_ == never) {
      end_resume();
    }
    --recorded_left_;
    enter_stretch();
    return MessageClass::recorded;
  }

  [[nodiscard]] std::uint64_t attempts_of_batch() const {
    if (!batch_.rests()) {
      return without_end;
    }
    return warming_up_ ? lesser(batch_.messages, warmup_left_) : lesser(batch_.messages, recorded_left_) + resume_left_;
  }
  static std::uint64_t lesser(std::uint64_t a, std::uint64_t b) { return a < b ? a : b; }

  // A time limit counts from the first recorded message on.
  void begin_recording(Instant now) {
    if (run_for_ > Duration{} && series_ends_ == never) {
      series_ends_ = now + run_for_;
    }
  }

  void end_resume() {
    resume_left_ = 0;
    if (batch_.rests()) {
      batch_ends_ = batch_began_ + batch_.longest;
    }
  }

  BatchPlan batch_;
  std::uint64_t resume_;
  Duration run_for_;
  std::uint64_t warmup_left_;
  std::uint64_t recorded_left_;
  std::uint64_t resume_left_ = 0;
  std::uint64_t attempts_left_ = 0;
  std::uint64_t stretch_left_ = 0;
  Instant series_began_;
  Instant series_ends_ = never;
  Instant batch_began_;
  Instant batch_ends_ = never;
  Instant resume_ends_;
  Instant stretch_ends_ = long_ago;  // also where no message is left of it
  bool began_once_ = false;
  bool warming_up_ = false;
};

}  // namespace rtecho

// How far a series has come: what the next message is sent for (warm-up, resume, recorded), and when a batch and
// the whole series are over.
#pragma once

#include <cstdint>

#include "rt_core/event_log.hpp"
#include "rt_core/run_plan.hpp"
#include "rt_core/time.hpp"

namespace rtecho {

class BatchProgress {
 public:
  explicit BatchProgress(const ClientPlan& plan)
      : batch_(plan.batch), count_(plan.count), run_for_(plan.run_for), warmup_left_(plan.warmup) {}

  // Without rests the warm-up is the beginning of the one batch.
  [[nodiscard]] bool next_batch_records() const { return warmup_left_ == 0 || !batch_.rests(); }

  void begin(Instant now) {
    if (!began_once_) {
      began_once_ = true;
      series_began_ = now;
    }
    batch_began_ = now;
    attempts_ = 0;
    warming_up_ = warmup_left_ > 0;
    resume_left_ = warming_up_ || !batch_.rests() ? 0 : batch_.resume;
    attempts_max_ = batch_.messages + resume_left_;
    if (!warming_up_) {
      begin_recording(now);
    }
  }

  // A time limit counts from the first recorded message on. Called by begin(), and by whoever sees the warm-up end
  // without a rest.
  void begin_recording(Instant now) {
    if (!recording_) {
      recording_ = true;
      recording_began_ = now;
    }
  }

  // What the message that is attempted now is sent for.
  MessageClass next() {
    ++attempts_;
    if (warmup_left_ > 0) {
      --warmup_left_;
      if (warmup_left_ == 0 && !batch_.rests()) {
        warming_up_ = false;  // the recorded ones follow without a rest
      }
      return MessageClass::warmup;
    }
    if (resume_left_ > 0) {
      --resume_left_;
      return MessageClass::resume;
    }
    ++recorded_attempts_;
    return MessageClass::recorded;
  }

  // Asked between messages only.
  [[nodiscard]] bool batch_is_over(Instant now) const {
    if (warming_up_ ? warmup_left_ == 0 : series_is_over(now)) {
      return true;
    }
    return batch_.rests() && (attempts_ >= attempts_max_ || now - batch_began_ >= batch_.longest);
  }
  [[nodiscard]] bool series_is_over(Instant now) const {
    if (warming_up_) {
      return false;
    }
    return run_for_ > Duration{} ? recording_ && now - recording_began_ >= run_for_ : recorded_attempts_ >= count_;
  }

  [[nodiscard]] bool began_once() const { return began_once_; }
  [[nodiscard]] bool warming_up() const { return warming_up_; }
  [[nodiscard]] Duration series_length(Instant now) const { return began_once_ ? now - series_began_ : Duration{}; }
  [[nodiscard]] Duration rest_length(Instant now) const { return batch_.rest_after(now - batch_began_); }

 private:
  BatchPlan batch_;
  std::uint64_t count_;
  Duration run_for_;
  std::uint64_t warmup_left_;
  std::uint64_t resume_left_ = 0;
  std::uint64_t recorded_attempts_ = 0;
  std::uint64_t attempts_ = 0;  // of this batch
  std::uint64_t attempts_max_ = 0;
  Instant series_began_;
  Instant recording_began_;
  Instant batch_began_;
  bool began_once_ = false;
  bool recording_ = false;
  bool warming_up_ = false;
};

}  // namespace rtecho

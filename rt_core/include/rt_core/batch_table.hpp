// One record per batch, in fixed memory however long the run: when the table is full, neighbours are merged in
// pairs and each record stands for twice as many batches from then on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "rt_core/limits.hpp"
#include "rt_core/time.hpp"

namespace rtecho {

// Recorded messages of one or several neighbouring batches. n = 0: nothing was answered, and no time means anything.
struct BatchRecord {
  std::uint64_t n = 0;
  Duration min = Duration::from_ns(std::numeric_limits<std::int64_t>::max());
  Duration max = Duration::from_ns(std::numeric_limits<std::int64_t>::min());

  constexpr void add(Duration latency) {
    ++n;
    min = latency < min ? latency : min;
    max = longer(max, latency);
  }
  constexpr void merge(const BatchRecord& other) {
    n += other.n;
    min = other.min < min ? other.min : min;
    max = longer(max, other.max);
  }
};

class BatchTable {
 public:
  static_assert(limits::batch_records % 2 == 0);

  // Bounded work, but of the whole table now and then: called between batches, never between messages.
  void add(const BatchRecord& batch) {
    if (batches_ % batches_per_record_ == 0) {
      if (size_ == records_.size()) {
        halve();
      }
      records_[size_++] = batch;
    } else {
      records_[size_ - 1].merge(batch);
    }
    ++batches_;
  }

  // What came after the last batch had ended: late replies.
  void add_to_last(const BatchRecord& rest) {
    if (size_ > 0) {
      records_[size_ - 1].merge(rest);
    }
  }

  [[nodiscard]] std::span<const BatchRecord> records() const { return std::span(records_).first(size_); }
  [[nodiscard]] std::uint64_t batches() const { return batches_; }
  // How many batches each record but perhaps the last one stands for.
  [[nodiscard]] std::uint64_t batches_per_record() const { return batches_per_record_; }

 private:
  // Only called when a record is due and all of them are complete, so that pairs stay aligned.
  void halve() {
    for (std::size_t i = 0; i < size_ / 2; ++i) {
      records_[i] = records_[2 * i];
      records_[i].merge(records_[2 * i + 1]);
    }
    size_ /= 2;
    batches_per_record_ *= 2;
  }

  std::array<BatchRecord, limits::batch_records> records_{};
  std::size_t size_ = 0;
  std::uint64_t batches_ = 0;
  std::uint64_t batches_per_record_ = 1;
};

}  // namespace rtecho

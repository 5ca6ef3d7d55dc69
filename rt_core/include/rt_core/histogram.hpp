// Latencies in fixed memory: the bucket rule of HdrHistogram (lowest 1 ns, highest 100 s, 3 significant digits,
// 64-bit counts), with what a bucket would blur kept exactly beside it: minimum, maximum and its sequence
// number, sum, and sum of squares.
//
// `record` cannot fail: a value above 100 s goes to `saturated` (and counts in n and as the maximum), a negative
// one to its own counter (and counts in nothing else, because no statistic of it would mean anything).
// A histogram is 224 KiB: it belongs into memory that was mapped before the run, not on a stack.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "rt_core/assert.hpp"
#include "rt_core/limits.hpp"
#include "rt_core/time.hpp"

namespace rtecho {

// Unsigned 128-bit accumulator without a 128-bit type, which is neither standard nor free of library calls.
struct WideSum {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  constexpr void add(std::uint64_t value) {
    low += value;
    high += low < value ? 1U : 0U;
  }
  constexpr void add(const WideSum& other) {
    add(other.low);
    high += other.high;
  }
  // value² for value < 2^48: (h·2^32 + l)² = h²·2^64 + 2hl·2^32 + l².
  constexpr void add_square(std::uint64_t value) {
    const std::uint64_t l = value & 0xFFFF'FFFFU;
    const std::uint64_t h = value >> 32U;
    add(l * l);
    if (h != 0) {
      const std::uint64_t cross = 2 * h * l;
      add(cross << 32U);
      high += (cross >> 32U) + h * h;
    }
  }
  [[nodiscard]] constexpr long double value() const {
    return static_cast<long double>(high) * 18'446'744'073'709'551'616.0L + static_cast<long double>(low);
  }
};

class Histogram {
 public:
  static constexpr unsigned significant_digits = 3;
  static constexpr unsigned sub_bucket_half_bits = 10;  // 2 · 10^3 rounded up to 2^11, halved
  static constexpr std::uint64_t sub_bucket_mask = (1U << (sub_bucket_half_bits + 1)) - 1;
  static constexpr std::int64_t highest_ns = limits::histogram_highest_ns;

  static constexpr std::size_t index_of(std::uint64_t value) {
    const unsigned highest_bit = 63U ^ static_cast<unsigned>(std::countl_zero(value | sub_bucket_mask));
    const unsigned bucket = highest_bit - sub_bucket_half_bits;
    // = bucket · 2^10 + value / 2^bucket; the constant is last, where an access to the table takes it in for nothing.
    return std::size_t{highest_bit << sub_bucket_half_bits} + static_cast<std::size_t>(value >> bucket) -
           (std::size_t{sub_bucket_half_bits} << sub_bucket_half_bits);
  }
  static constexpr std::size_t bucket_count = 28 * (1U << sub_bucket_half_bits);

  // Largest value that shares the bucket: what a percentile reports.
  static constexpr std::int64_t highest_equivalent(std::size_t index) {
    const std::size_t half = std::size_t{1} << sub_bucket_half_bits;
    const std::size_t bucket = index < 2 * half ? 0 : index / half - 1;
    const std::size_t sub_bucket = index - (bucket << sub_bucket_half_bits);
    return static_cast<std::int64_t>(((sub_bucket + 1) << bucket) - 1);
  }

  // `sequence` says which message this was, for the maximum.
  void record(Duration value, std::uint64_t sequence) {
    const auto magnitude = static_cast<std::uint64_t>(value.ns());
    // One test for all that is rare: what lies below the minimum, negative values too, is huge when unsigned.
    if (magnitude - static_cast<std::uint64_t>(min_ns_) >= ordinary_span_) [[unlikely]] {
      record_extreme(value.ns(), sequence);
    } else {
      record_ordinary(value);
    }
  }

  // The same for a value that the caller knows to lie within the minimum and the maximum, and below ordinary_end().
  void record_ordinary(Duration value) {
    const auto magnitude = static_cast<std::uint64_t>(value.ns());
    ++n_;
    sum_.add(magnitude);
    sum_of_squares_.add(magnitude * magnitude);
    ++counts_[index_of(magnitude)];
  }
  // From here on a square has more than 64 bits.
  static constexpr Duration ordinary_end() { return Duration::from_ns(ordinary_end_ns); }

  void merge(const Histogram& other);
  void reset() { *this = Histogram{}; }

  [[nodiscard]] std::uint64_t n() const { return n_; }
  [[nodiscard]] std::uint64_t saturated() const { return saturated_; }
  [[nodiscard]] std::uint64_t negative() const { return negative_; }
  // Exact. Absent without a sample; the minimum also where every sample was saturated.
  [[nodiscard]] std::optional<Duration> min() const;
  [[nodiscard]] std::optional<Duration> max() const;
  [[nodiscard]] std::uint64_t max_sequence() const { return max_sequence_; }
  // Of the samples that were not saturated.
  [[nodiscard]] const WideSum& sum() const { return sum_; }
  [[nodiscard]] const WideSum& sum_of_squares() const { return sum_of_squares_; }
  [[nodiscard]] std::uint64_t count_at(std::size_t index) const { return counts_[index]; }

  // The highest equivalent value of the sample at rank ceil(n · numerator / denominator), never above the exact
  // maximum and never below the exact minimum. Absent where n < denominator / (denominator - numerator): with
  // fewer samples the percentile is a name for the maximum. numerator = denominator gives the maximum.
  // Not for a step: it walks the table.
  [[nodiscard]] std::optional<Duration> percentile(std::uint64_t numerator, std::uint64_t denominator) const;

 private:
  // Values from min_ns_ on, this many of them, are neither a new extreme nor too large for a square of 64 bits.
  static constexpr std::int64_t ordinary_end_ns = std::int64_t{1} << 32U;

  void record_extreme(std::int64_t ns, std::uint64_t sequence);
  void note_extremes();

  std::uint64_t ordinary_span_ = 0;
  std::uint64_t n_ = 0;
  std::uint64_t saturated_ = 0;
  std::uint64_t negative_ = 0;
  std::int64_t min_ns_ = highest_ns + 1;
  std::int64_t max_ns_ = -1;
  std::uint64_t max_sequence_ = 0;
  WideSum sum_;
  WideSum sum_of_squares_;
  std::array<std::uint64_t, bucket_count> counts_{};

  static_assert(sub_bucket_mask << 26U >= static_cast<std::uint64_t>(highest_ns), "27 buckets hold 100 s");
};

}  // namespace rtecho

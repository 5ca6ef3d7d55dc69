#include "rt_core/histogram.hpp"

namespace rtecho {

void Histogram::record_extreme(std::int64_t ns, std::uint64_t sequence) {
  if (ns < 0) {
    ++negative_;
    return;
  }
  ++n_;
  if (ns > max_ns_) {
    max_ns_ = ns;
    max_sequence_ = sequence;
  }
  if (ns > highest_ns) {
    ++saturated_;
  } else {
    const auto magnitude = static_cast<std::uint64_t>(ns);
    if (ns < min_ns_) {
      min_ns_ = ns;
    }
    sum_.add(magnitude);
    sum_of_squares_.add_square(magnitude);
    ++counts_[index_of(magnitude)];
  }
  note_extremes();
}

// To be called after each change of the minimum or the maximum.
void Histogram::note_extremes() {
  const std::int64_t end_ns = max_ns_ < ordinary_end_ns ? max_ns_ + 1 : ordinary_end_ns;
  ordinary_span_ = end_ns > min_ns_ ? static_cast<std::uint64_t>(end_ns - min_ns_) : 0;
}

void Histogram::merge(const Histogram& other) {
  if (other.max_ns_ > max_ns_) {
    max_ns_ = other.max_ns_;
    max_sequence_ = other.max_sequence_;
  }
  if (other.min_ns_ < min_ns_) {
    min_ns_ = other.min_ns_;
  }
  note_extremes();
  n_ += other.n_;
  saturated_ += other.saturated_;
  negative_ += other.negative_;
  sum_.add(other.sum_);
  sum_of_squares_.add(other.sum_of_squares_);
  for (std::size_t i = 0; i < bucket_count; ++i) {
    counts_[i] += other.counts_[i];
  }
}

std::optional<Duration> Histogram::min() const {
  if (min_ns_ > highest_ns) {
    return std::nullopt;
  }
  return Duration::from_ns(min_ns_);
}

std::optional<Duration> Histogram::max() const {
  if (n_ == 0) {
    return std::nullopt;
  }
  return Duration::from_ns(max_ns_);
}

std::optional<Duration> Histogram::percentile(std::uint64_t numerator, std::uint64_t denominator) const {
  RTECHO_ASSERT(denominator > 0 && numerator <= denominator);
  if (n_ == 0) {
    return std::nullopt;
  }
  if (numerator == denominator) {
    return max();
  }
  // Split so that n · numerator cannot overflow: n = q · denominator + r.
  const std::uint64_t q = n_ / denominator;
  const std::uint64_t r = n_ % denominator;
  if (n_ < denominator && n_ * (denominator - numerator) < denominator) {
    return std::nullopt;
  }
  std::uint64_t rank = q * numerator + (r * numerator + denominator - 1) / denominator;
  if (rank == 0) {
    rank = 1;
  }
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < bucket_count; ++i) {
    seen += counts_[i];
    if (seen >= rank) {
      std::int64_t value = highest_equivalent(i);
      value = value > max_ns_ ? max_ns_ : value;
      return Duration::from_ns(value < min_ns_ ? min_ns_ : value);
    }
  }
  return max();  // the rank lies among the saturated samples
}

}  // namespace rtecho

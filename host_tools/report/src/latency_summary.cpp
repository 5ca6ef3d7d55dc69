#include "report/latency_summary.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "report/histogram_codec.hpp"
#include "rt_core/assert.hpp"

namespace rtecho::report {
namespace {

constexpr std::array<std::pair<const char*, Percentile>, 6> printed_percentiles{{
    {"p50", {50, 100}},
    {"p90", {90, 100}},
    {"p99", {99, 100}},
    {"p99.9", {999, 1'000}},
    {"p99.99", {9'999, 10'000}},
    {"p99.999", {99'999, 100'000}},
}};

std::optional<std::int64_t> nanoseconds(std::optional<Duration> value) {
  return value ? std::optional(value->ns()) : std::nullopt;
}

std::optional<std::uint64_t> maximum_sequence(const Histogram& histogram) {
  return histogram.max() ? std::optional(histogram.max_sequence()) : std::nullopt;
}

// Both sums are exact to 128 bits. Their difference loses what a long double cannot hold, which is below
// a nanosecond for any latency up to 100 s that varies by more than one part in a million.
void add_moments(const Histogram& histogram, LatencySummary& summary) {
  const std::uint64_t bucketed = histogram.n() - histogram.saturated();
  if (bucketed == 0) {
    return;
  }
  const auto n = static_cast<long double>(bucketed);
  const long double mean = histogram.sum().value() / n;
  const long double variance = histogram.sum_of_squares().value() / n - mean * mean;
  summary.mean_ns = std::llround(mean);
  summary.stddev_ns = std::llround(std::sqrt(variance > 0 ? variance : 0));
}

}  // namespace

LatencySummary summarize(const Histogram& histogram) {
  LatencySummary summary;
  summary.n = histogram.n();
  summary.min_ns = nanoseconds(histogram.min());
  summary.max_ns = nanoseconds(histogram.max());
  summary.max_sequence = maximum_sequence(histogram);
  add_moments(histogram, summary);
  for (const auto& [name, percentile] : printed_percentiles) {
    if (const auto value = histogram.percentile(percentile.numerator, percentile.denominator)) {
      summary.percentiles.emplace(name, value->ns());
    }
  }
  summary.saturated = histogram.saturated();
  summary.negative = histogram.negative();
  summary.histogram = encode_histogram(histogram);
  return summary;
}

ResumeSummary summarize_resume(const Histogram& histogram) {
  ResumeSummary summary;
  summary.n = histogram.n();
  summary.min_ns = nanoseconds(histogram.min());
  summary.p50_ns = nanoseconds(histogram.percentile(50, 100));
  summary.max_ns = nanoseconds(histogram.max());
  summary.max_sequence = maximum_sequence(histogram);
  return summary;
}

std::optional<Percentile> percentile_from_text(std::string_view text) {
  constexpr std::size_t decimals_max = 6;
  if (text.size() < 2 || text.front() != 'p') {
    return std::nullopt;
  }
  text.remove_prefix(1);
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view decimals = point == std::string_view::npos ? std::string_view{} : text.substr(point + 1);
  if (whole.empty() || whole.size() > 3 || decimals.size() > decimals_max ||
      (point != std::string_view::npos && decimals.empty())) {
    return std::nullopt;
  }
  Percentile percentile{0, 100};
  for (const std::string_view digits : {whole, decimals}) {
    for (const char digit : digits) {
      if (digit < '0' || digit > '9') {
        return std::nullopt;
      }
      percentile.numerator = percentile.numerator * 10 + static_cast<std::uint64_t>(digit - '0');
    }
  }
  for (std::size_t i = 0; i < decimals.size(); ++i) {
    percentile.denominator *= 10;
  }
  if (percentile.numerator == 0 || percentile.numerator > percentile.denominator) {
    return std::nullopt;
  }
  return percentile;
}

std::optional<std::int64_t> percentile_of(std::span<const std::uint64_t> counts, std::uint64_t saturated,
                                          Percentile percentile) {
  RTECHO_ASSERT(percentile.denominator > 0 && percentile.numerator <= percentile.denominator);
  std::uint64_t n = saturated;
  for (const std::uint64_t count : counts) {
    n += count;
  }
  // Samples above the percentile: n · (1 - q), split so that no product overflows. None is too few, but for p100.
  const std::uint64_t above = percentile.denominator - percentile.numerator;
  const std::uint64_t allowed_above =
      n / percentile.denominator * above + n % percentile.denominator * above / percentile.denominator;
  if (n == 0 || (allowed_above == 0 && above != 0)) {
    return std::nullopt;
  }
  const std::uint64_t rank = n - allowed_above;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    seen += counts[i];
    if (seen >= rank) {
      return Histogram::highest_equivalent(i);
    }
  }
  return std::numeric_limits<std::int64_t>::max();
}

}  // namespace rtecho::report

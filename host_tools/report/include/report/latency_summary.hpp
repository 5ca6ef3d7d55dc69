// What a run file keeps of a histogram: exact minimum and maximum, mean, deviation, percentiles, and the
// histogram itself as text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rt_core/histogram.hpp"

namespace rtecho::report {

// Times in ns. A statistic that the samples do not allow is absent.
struct LatencySummary {
  std::uint64_t n = 0;                 // saturated samples count, negative ones do not
  std::optional<std::int64_t> min_ns;  // exact; absent where every sample was saturated
  std::optional<std::int64_t> max_ns;  // exact
  std::optional<std::uint64_t> max_sequence;
  std::optional<std::int64_t> mean_ns;    // of the samples that were not saturated
  std::optional<std::int64_t> stddev_ns;  // the same; of the population, as HdrHistogram does
  // "p99.9" to ns, only where n >= 1 / (1 - q): with fewer samples it would be a name for the maximum.
  std::map<std::string, std::int64_t> percentiles;
  std::uint64_t saturated = 0;
  std::uint64_t negative = 0;
  std::optional<std::string> histogram;  // HdrHistogram V2, compressed, base64

  friend bool operator==(const LatencySummary&, const LatencySummary&) = default;
};

// The first messages after each rest, which meet sleeping threads and cold caches.
struct ResumeSummary {
  std::uint64_t n = 0;
  std::optional<std::int64_t> min_ns;
  std::optional<std::int64_t> p50_ns;
  std::optional<std::int64_t> max_ns;
  std::optional<std::uint64_t> max_sequence;

  friend bool operator==(const ResumeSummary&, const ResumeSummary&) = default;
};

[[nodiscard]] LatencySummary summarize(const Histogram& histogram);
[[nodiscard]] ResumeSummary summarize_resume(const Histogram& histogram);

// A percentile as a fraction, because 99.9 has no exact binary form: p99.9 is 999 / 1000.
struct Percentile {
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 1;

  friend bool operator==(const Percentile&, const Percentile&) = default;
};

// "p50", "p99.95": above 0, up to 100, at most six decimals. Absent where the text is anything else.
[[nodiscard]] std::optional<Percentile> percentile_from_text(std::string_view text);

// The same rule as Histogram::percentile for counts that came from run files: `counts` by bucket, `saturated`
// samples above them all. A rank among the saturated gives the largest number there is; the caller knows the exact
// maximum and never shows more. Absent where there are too few samples.
[[nodiscard]] std::optional<std::int64_t> percentile_of(std::span<const std::uint64_t> counts, std::uint64_t saturated,
                                                        Percentile percentile);

}  // namespace rtecho::report

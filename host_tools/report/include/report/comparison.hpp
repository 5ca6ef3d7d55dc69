// Run files of two groups set side by side: the real-time build against the normal one, or two labels of one
// build. Pure arithmetic on run files; comparison_text.hpp shows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/neighbouring_pairs.hpp"
#include "report/outcome.hpp"
#include "report/series_key.hpp"

namespace rtecho::report {

// What the heading says about one side. Lists are sorted and hold each text once.
struct ComparedGroup {
  std::string name;   // "real-time", "normal", or the label where both sides are the same build
  std::string build;  // "realtime", "normal", or both
  std::vector<std::string> labels;
  std::size_t runs = 0;
  std::size_t runs_not_realtime = 0;  // of the real-time build, but ingredients were given up or not granted
  std::size_t runs_in_doubt = 0;      // degraded or not completed
  std::vector<std::string> doubts;
  std::vector<std::string> waits;  // "client spin, server spin"
};

// One series of one side, over all its runs. Latencies as judged_latency chooses them.
struct SeriesFigures {
  std::size_t runs = 0;
  std::uint64_t n = 0;
  std::optional<std::int64_t> min_ns;
  std::optional<std::int64_t> max_ns;
  std::uint64_t max_sequence = 0;  // of the maximum, in the run file `max_source`
  std::string max_source;
  std::optional<std::int64_t> median_of_maxima_ns;
  std::optional<std::int64_t> p99_9_ns;  // of the samples of all runs together
  std::optional<std::int64_t> resume_max_ns;
  std::uint64_t lost = 0;
  std::uint64_t errors = 0;

  // Maximum - minimum, over all runs.
  [[nodiscard]] std::optional<std::int64_t> jitter_ns() const;
};

struct ComparedSeries {
  SeriesKey key;
  SeriesFigures candidate;
  SeriesFigures baseline;
  std::optional<RatioRange> ratio;  // baseline maximum / candidate maximum: how many times lower the candidate's is
};

struct Comparison {
  ComparedGroup candidate;
  ComparedGroup baseline;
  std::vector<ComparedSeries> series;
  std::vector<SeriesKey> only_in_candidate;
  std::vector<SeriesKey> only_in_baseline;

  // Without this it compares real-time with normal.
  [[nodiscard]] bool of_one_build() const { return candidate.build == baseline.build; }
  [[nodiscard]] bool waits_differ() const { return candidate.waits != baseline.waits; }
};

// Groups the runs by build and label. The baseline is what carries one of `baseline_labels`; without labels it is the
// normal build, or, where all runs are of one build and two labels, the label that started first. One comparison for
// each group that is set against the baseline. A failure says why there is nothing to compare.
[[nodiscard]] Outcome<std::vector<Comparison>> compare(std::span<const NamedRun> runs,
                                                       std::span<const std::string> baseline_labels);

}  // namespace rtecho::report

// Ratios between two groups of interleaved runs. A shared machine drifts: runs that lie side by side in time met the
// same neighbours, so only their ratio says something about the builds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rtecho::report {

struct TimedMaximum {
  std::int64_t started_ns = 0;
  std::int64_t max_ns = 0;
};

struct RatioRange {
  double median = 0;
  double lowest = 0;
  double highest = 0;
  std::size_t pairs = 0;
};

// Orders both groups by start and pairs each run with its neighbour of the other group; a run belongs to at most one
// pair (A B A B is two pairs, A A B B is one). Ratios are first / second. Absent where there is no pair, or where every
// pair has a second of 0.
[[nodiscard]] std::optional<RatioRange> ratios_of_neighbours(const std::vector<TimedMaximum>& first,
                                                             const std::vector<TimedMaximum>& second);

// Mean of the two middle values for an even count. Absent for none.
[[nodiscard]] std::optional<double> median_of(std::vector<double> values);

}  // namespace rtecho::report

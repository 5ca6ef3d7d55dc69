// The same series gathered from many run files.
#pragma once

#include <map>
#include <vector>

#include "report/neighbouring_pairs.hpp"
#include "report/series_key.hpp"
#include "run_group.hpp"

namespace rtecho::report {

// Points into the run files that were given: they outlive every comparison and verdict.
struct SeriesOfRun {
  const NamedRun* run = nullptr;
  const SeriesRecord* series = nullptr;
};

using SeriesByKey = std::map<SeriesKey, std::vector<SeriesOfRun>>;

[[nodiscard]] SeriesByKey by_key(const RunGroup& runs);

// The maxima of judged_latency, without the runs that have none.
[[nodiscard]] std::vector<TimedMaximum> maxima_of(const std::vector<SeriesOfRun>& runs);

}  // namespace rtecho::report

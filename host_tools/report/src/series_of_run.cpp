#include "series_of_run.hpp"

#include "report/timestamp.hpp"

namespace rtecho::report {

SeriesByKey by_key(const RunGroup& runs) {
  SeriesByKey found;
  for (const NamedRun* run : runs) {
    for (const SeriesRecord& series : run->run.series) {
      found[key_of(series)].push_back({run, &series});
    }
  }
  return found;
}

std::vector<TimedMaximum> maxima_of(const std::vector<SeriesOfRun>& runs) {
  std::vector<TimedMaximum> maxima;
  for (const SeriesOfRun& entry : runs) {
    const LatencySummary* latency = judged_latency(*entry.series);
    if (latency != nullptr && latency->max_ns) {
      // The reader has checked the time; a run that was not read from a file and has none comes first.
      maxima.push_back({unix_ns_from_rfc3339(entry.run->run.started).value_or(0), *latency->max_ns});
    }
  }
  return maxima;
}

}  // namespace rtecho::report

#include "report/series_key.hpp"

#include <fmt/format.h>

#include <utility>

namespace rtecho::report {

Outcome<std::vector<NamedRun>> read_runs(const std::vector<std::string>& paths) {
  std::vector<NamedRun> runs;
  for (const std::string& path : paths) {
    Outcome<RunFile> run = read_run_file(path);
    if (!run) {
      return run.failure();
    }
    runs.push_back({path, std::move(run).value()});
  }
  return runs;
}

SeriesKey key_of(const SeriesRecord& series) {
  return {series.protocol, series.message_bytes, series.client_driver, series.server_driver.value_or(""),
          series.response.has_value()};
}

std::string short_text(const SeriesKey& key) {
  return fmt::format("{} {} B{}", key.protocol, key.message_bytes, key.paced ? " paced" : "");
}

std::string full_text(const SeriesKey& key) {
  return fmt::format("{}, {}/{}", short_text(key), key.client_driver,
                     key.server_driver.empty() ? "unknown" : key.server_driver);
}

const LatencySummary* judged_latency(const SeriesRecord& series) {
  if (series.response) {
    return &*series.response;
  }
  return series.service ? &*series.service : nullptr;
}

std::vector<std::string> doubts(const RunFile& run) {
  std::vector<std::string> found;
  for (const std::string& reason : run.client.degraded) {
    found.push_back("client degraded: " + reason);
  }
  if (run.server) {
    for (const std::string& reason : run.server->degraded) {
      found.push_back("server degraded: " + reason);
    }
  }
  if (!run.complete) {
    found.emplace_back("the run was not completed");
  }
  return found;
}

}  // namespace rtecho::report

// Run files with their names, what makes two of their series the same measurement, and which latency is judged.
// Comparison and bounds agree on both by asking here.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "report/run_file.hpp"

namespace rtecho::report {

// A run file and where it came from.
struct NamedRun {
  std::string source;
  RunFile run;
};

// In the order given; the first that cannot be read ends it.
[[nodiscard]] Outcome<std::vector<NamedRun>> read_runs(const std::vector<std::string>& paths);

struct SeriesKey {
  std::string protocol;
  std::uint64_t message_bytes = 0;
  std::string client_driver;
  std::string server_driver;  // empty where the server's half is missing
  bool paced = false;         // a paced and a ping-pong series are never set side by side

  friend auto operator<=>(const SeriesKey&, const SeriesKey&) = default;
};

[[nodiscard]] SeriesKey key_of(const SeriesRecord& series);

// "udp 64 B", with " paced" where it is.
[[nodiscard]] std::string short_text(const SeriesKey& key);
// "udp 64 B, socket/socket".
[[nodiscard]] std::string full_text(const SeriesKey& key);

// Response time where there is a schedule, because service time hides what a stall does to the messages behind it;
// else service time. Null where neither was recorded.
[[nodiscard]] const LatencySummary* judged_latency(const SeriesRecord& series);

// Why this run may not be relied on: each degraded ingredient of either end, and an interruption. Empty for a
// sound run.
[[nodiscard]] std::vector<std::string> doubts(const RunFile& run);

}  // namespace rtecho::report

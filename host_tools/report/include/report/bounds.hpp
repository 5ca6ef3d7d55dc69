// The bounds file (TOML): which limits hold for which series. Parsing only; verdict.hpp judges.
//
//   [defaults]              holds for every series, and completes each [[bound]]
//   [[bound]]               protocol = "udp" | … | "all", message_bytes = 64 | [64, 128] | "all", and limits
//   limits                  lost, max_us, resume_max_us, jitter_us, max_over_min, "p99.9_us", max_vs_baseline,
//                           heap_allocations, faults, voluntary_switches
//   min_samples             below it, nothing passes
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/latency_summary.hpp"
#include "report/outcome.hpp"
#include "report/series_key.hpp"

namespace rtecho::report {

enum class Quantity : std::uint8_t {
  lost,
  maximum,         // µs
  resume_maximum,  // µs, of the first messages after each rest
  jitter,          // µs, maximum - minimum
  maximum_over_minimum,
  percentile,           // µs
  maximum_vs_baseline,  // median ratio of neighbouring maxima, this / baseline
  heap_allocations,     // these three: per end, in the measured windows
  faults,               // minor and major
  voluntary_switches,   // of ends that spin
};

struct Limit {
  std::string key;  // as in the file: "max_us"
  Quantity quantity = Quantity::lost;
  Percentile percentile;  // for Quantity::percentile
  double value = 0;       // measured <= value passes

  friend bool operator==(const Limit&, const Limit&) = default;
};

// What one [[bound]], completed by [defaults], says.
struct BoundRule {
  std::string place;                         // "[[bound]] at line 7", "[defaults]"
  std::optional<std::string> protocol;       // absent: all
  std::vector<std::uint64_t> message_bytes;  // empty: all
  std::uint64_t min_samples = 0;
  std::uint64_t lost_allowed = 0;  // the value of the lost limit, 0 without one
  std::vector<Limit> limits;       // its own by name, then those of [defaults]

  [[nodiscard]] bool matches(const SeriesKey& key) const;
};

struct Bounds {
  BoundRule defaults;  // for series that no rule matches
  std::vector<BoundRule> rules;
};

// Unknown keys, wrong types, negative limits and rules that bound nothing are errors, each with its line.
[[nodiscard]] Outcome<Bounds> bounds_from_text(std::string_view text, std::string_view source);
[[nodiscard]] Outcome<Bounds> read_bounds(const std::string& path);

}  // namespace rtecho::report

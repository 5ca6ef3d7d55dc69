// What a series measured of the quantity that a limit bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/bounds.hpp"
#include "report/run_file.hpp"

namespace rtecho::report {

struct MeasuredQuantity {
  std::optional<double> value;  // in the unit of the limit's key
  std::uint64_t n = 0;
  std::optional<std::uint64_t> worst_sequence;
  // What was not measured, where that forbids a pass although there may be a value: the other end's, for example.
  std::string missing;
};

// Of one series. maximum_vs_baseline needs more than one series and is none of these.
[[nodiscard]] MeasuredQuantity measure(const Limit& limit, const SeriesRecord& series);

// Messages that have no latency, or one beyond the histogram: each exceeds every bound on a maximum or a percentile.
[[nodiscard]] std::uint64_t beyond_every_bound(const SeriesRecord& series);

// Recorded messages that came to an end, the lost ones too; warm-up and resume messages are not among them.
[[nodiscard]] std::uint64_t recorded_samples(const SeriesRecord& series);

}  // namespace rtecho::report

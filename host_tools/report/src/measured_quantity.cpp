#include "measured_quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "report/histogram_codec.hpp"
#include "report/series_key.hpp"
#include "rt_core/assert.hpp"

namespace rtecho::report {
namespace {

double microseconds(std::int64_t ns) {
  return static_cast<double>(ns) / 1000.0;
}

MeasuredQuantity missing(std::string reason) {
  MeasuredQuantity measured;
  measured.missing = std::move(reason);
  return measured;
}

MeasuredQuantity measure_lost(const SeriesRecord& series) {
  MeasuredQuantity measured;
  measured.value = static_cast<double>(series.accounting.client.lost);
  measured.n = recorded_samples(series);
  return measured;
}

// Maximum, jitter, and maximum over minimum.
MeasuredQuantity measure_extreme(const LatencySummary& latency, Quantity quantity) {
  if (!latency.max_ns) {
    return missing("no message was answered");
  }
  MeasuredQuantity measured;
  measured.n = latency.n;
  measured.worst_sequence = latency.max_sequence;
  if (quantity == Quantity::maximum) {
    measured.value = microseconds(*latency.max_ns);
  } else if (!latency.min_ns) {
    measured.missing = "every sample is above 100 s, so there is no minimum";
  } else if (quantity == Quantity::jitter) {
    measured.value = microseconds(*latency.max_ns - *latency.min_ns);
  } else if (*latency.min_ns <= 0) {
    measured.missing = "the minimum is 0, so there is no ratio to it";
  } else {
    measured.value = static_cast<double>(*latency.max_ns) / static_cast<double>(*latency.min_ns);
  }
  return measured;
}

MeasuredQuantity measure_percentile(const LatencySummary& latency, Percentile percentile) {
  if (!latency.histogram || !latency.max_ns) {
    return missing(latency.max_ns ? "the run file holds no histogram" : "no message was answered");
  }
  const Outcome<std::vector<std::uint64_t>> counts = decode_histogram(*latency.histogram);
  if (!counts) {
    return missing(counts.failure().sentence);
  }
  MeasuredQuantity measured;
  measured.n = latency.n;
  measured.worst_sequence = latency.max_sequence;
  if (const auto value = percentile_of(counts.value(), latency.saturated, percentile)) {
    // A bucket's upper edge may lie above the exact maximum.
    measured.value = microseconds(std::min(*value, *latency.max_ns));
  } else {
    measured.missing = fmt::format("{} samples are too few for this percentile", latency.n);
  }
  return measured;
}

MeasuredQuantity measure_resume(const SeriesRecord& series) {
  if (!series.resume || !series.resume->max_ns) {
    return missing("no message after a rest was recorded");
  }
  MeasuredQuantity measured;
  measured.value = microseconds(*series.resume->max_ns);
  measured.n = series.resume->n;
  measured.worst_sequence = series.resume->max_sequence;
  return measured;
}

std::optional<std::uint64_t> window_count(const WindowRecord& window, Quantity quantity) {
  switch (quantity) {
    case Quantity::heap_allocations:
      return window.heap_allocations;
    case Quantity::voluntary_switches:
      return window.voluntary_switches;
    default:
      return window.minor_faults && window.major_faults ? std::optional(*window.minor_faults + *window.major_faults)
                                                        : std::nullopt;
  }
}

// The worse of the two ends, because the limit holds for each. An end that blocks switches by intention: it is not
// asked for its switches.
MeasuredQuantity measure_window(const SeriesRecord& series, Quantity quantity) {
  struct End {
    std::string_view name;
    const std::optional<WindowRecord>& window;
    std::string wait;
  };
  const std::array<End, 2> ends{{{"client", series.determinism.client, series.wait.client},
                                 {"server", series.determinism.server, series.wait.server.value_or("")}}};
  MeasuredQuantity measured;
  measured.n = recorded_samples(series);
  std::vector<std::string> unknown;
  std::size_t asked = 0;
  for (const End& end : ends) {
    if (quantity == Quantity::voluntary_switches && end.wait == "block") {
      continue;
    }
    ++asked;
    const std::optional<std::uint64_t> count = end.window ? window_count(*end.window, quantity) : std::nullopt;
    if (!count) {
      unknown.push_back(fmt::format("not measured at the {}", end.name));
      continue;
    }
    measured.value = std::max(measured.value.value_or(0), static_cast<double>(*count));
  }
  measured.missing =
      asked == 0 ? "both ends block, and blocking is a voluntary switch" : fmt::format("{}", fmt::join(unknown, ", "));
  return measured;
}

}  // namespace

MeasuredQuantity measure(const Limit& limit, const SeriesRecord& series) {
  RTECHO_ASSERT(limit.quantity != Quantity::maximum_vs_baseline);
  const LatencySummary* latency = judged_latency(series);
  switch (limit.quantity) {
    case Quantity::lost:
      return measure_lost(series);
    case Quantity::resume_maximum:
      return measure_resume(series);
    case Quantity::heap_allocations:
    case Quantity::faults:
    case Quantity::voluntary_switches:
      return measure_window(series, limit.quantity);
    case Quantity::percentile:
      return latency == nullptr ? missing("no latency was recorded") : measure_percentile(*latency, limit.percentile);
    default:
      return latency == nullptr ? missing("no latency was recorded") : measure_extreme(*latency, limit.quantity);
  }
}

std::uint64_t beyond_every_bound(const SeriesRecord& series) {
  const LatencySummary* latency = judged_latency(series);
  return series.accounting.client.lost + series.accounting.client.late_untimed +
         (latency == nullptr ? 0 : latency->saturated);
}

std::uint64_t recorded_samples(const SeriesRecord& series) {
  const ClientAccounting& client = series.accounting.client;
  const std::uint64_t ended = client.answered + client.late + client.lost;
  const std::uint64_t unrecorded = client.warmup + client.resume;
  return ended > unrecorded ? ended - unrecorded : 0;
}

}  // namespace rtecho::report

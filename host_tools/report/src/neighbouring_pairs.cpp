#include "report/neighbouring_pairs.hpp"

#include <algorithm>

namespace rtecho::report {
namespace {

struct Run {
  TimedMaximum maximum;
  bool is_first = false;
};

std::vector<Run> in_order_of_start(const std::vector<TimedMaximum>& first, const std::vector<TimedMaximum>& second) {
  std::vector<Run> runs;
  runs.reserve(first.size() + second.size());
  for (const TimedMaximum& maximum : first) {
    runs.push_back({maximum, true});
  }
  for (const TimedMaximum& maximum : second) {
    runs.push_back({maximum, false});
  }
  std::stable_sort(runs.begin(), runs.end(),
                   [](const Run& a, const Run& b) { return a.maximum.started_ns < b.maximum.started_ns; });
  return runs;
}

}  // namespace

std::optional<double> median_of(std::vector<double> values) {
  if (values.empty()) {
    return std::nullopt;
  }
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<RatioRange> ratios_of_neighbours(const std::vector<TimedMaximum>& first,
                                               const std::vector<TimedMaximum>& second) {
  const std::vector<Run> runs = in_order_of_start(first, second);
  std::vector<double> ratios;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (runs[i - 1].is_first == runs[i].is_first) {
      continue;
    }
    const Run& numerator = runs[i].is_first ? runs[i] : runs[i - 1];
    const Run& denominator = runs[i].is_first ? runs[i - 1] : runs[i];
    if (denominator.maximum.max_ns > 0) {
      ratios.push_back(static_cast<double>(numerator.maximum.max_ns) / static_cast<double>(denominator.maximum.max_ns));
    }
    ++i;  // both belong to this pair now
  }
  const std::optional<double> median = median_of(ratios);
  if (!median) {
    return std::nullopt;
  }
  const auto [lowest, highest] = std::minmax_element(ratios.begin(), ratios.end());
  return RatioRange{*median, *lowest, *highest, ratios.size()};
}

}  // namespace rtecho::report

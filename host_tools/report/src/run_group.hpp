// Run files gathered by build and label, and the choice of who is set against whom.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/outcome.hpp"
#include "report/series_key.hpp"

namespace rtecho::report {

// Never empty, ordered by start. The runs belong to the caller of group_runs.
using RunGroup = std::vector<const NamedRun*>;

struct GroupPair {
  RunGroup candidate;
  RunGroup baseline;
};

[[nodiscard]] Outcome<std::vector<GroupPair>> choose_pairs(std::span<const NamedRun> runs,
                                                           std::span<const std::string> baseline_labels);

}  // namespace rtecho::report

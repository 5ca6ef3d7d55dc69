#include "run_group.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/timestamp.hpp"

namespace rtecho::report {
namespace {

std::string describe_group(const RunGroup& group) {
  const RunFile& run = group.front()->run;
  return fmt::format("{} build, label \"{}\"", run.tool.build, run.label);
}

std::string describe_groups(const std::vector<RunGroup>& groups) {
  std::string text;
  for (const RunGroup& group : groups) {
    text += (text.empty() ? "" : "; ") + describe_group(group);
  }
  return text;
}

// In order of the first start of each.
std::vector<RunGroup> by_build_and_label(const RunGroup& ordered) {
  std::vector<RunGroup> groups;
  for (const NamedRun* run : ordered) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const RunGroup& group) {
      const RunFile& first = group.front()->run;
      return first.tool.build == run->run.tool.build && first.label == run->run.label;
    });
    if (same == groups.end()) {
      groups.push_back({run});
    } else {
      same->push_back(run);
    }
  }
  return groups;
}

RunGroup ordered_by_start(std::span<const NamedRun> runs) {
  RunGroup ordered;
  for (const NamedRun& run : runs) {
    ordered.push_back(&run);
  }
  std::stable_sort(ordered.begin(), ordered.end(), [](const NamedRun* a, const NamedRun* b) {
    return unix_ns_from_rfc3339(a->run.started) < unix_ns_from_rfc3339(b->run.started);
  });
  return ordered;
}

Failure nothing_to_compare(const std::string& why) {
  return {FailureKind::content, "nothing to compare: " + why};
}

Outcome<std::vector<GroupPair>> pairs_by_label(const RunGroup& ordered, std::span<const std::string> baseline_labels) {
  RunGroup baseline;
  RunGroup others;
  for (const NamedRun* run : ordered) {
    const bool chosen =
        std::find(baseline_labels.begin(), baseline_labels.end(), run->run.label) != baseline_labels.end();
    (chosen ? baseline : others).push_back(run);
  }
  for (const std::string& label : baseline_labels) {
    if (std::none_of(baseline.begin(), baseline.end(), [&](const NamedRun* run) { return run->run.label == label; })) {
      return nothing_to_compare(fmt::format("no run file has the baseline's label \"{}\"", label));
    }
  }
  if (others.empty()) {
    return nothing_to_compare("every run file belongs to the baseline; give files of another label");
  }
  std::vector<GroupPair> pairs;
  for (const RunGroup& group : by_build_and_label(others)) {
    pairs.push_back({group, baseline});
  }
  return pairs;
}

Outcome<std::vector<GroupPair>> pairs_of_one_build(const std::vector<RunGroup>& groups) {
  if (groups.size() == 1) {
    return nothing_to_compare(
        fmt::format("all run files are of one group ({}); give files of the other build, or of another label",
                    describe_group(groups.front())));
  }
  if (groups.size() > 2) {
    return nothing_to_compare(
        fmt::format("more than two labels ({}); name the baseline with --baseline-label", describe_groups(groups)));
  }
  return std::vector<GroupPair>{{groups[1], groups[0]}};
}

}  // namespace

Outcome<std::vector<GroupPair>> choose_pairs(std::span<const NamedRun> runs,
                                             std::span<const std::string> baseline_labels) {
  if (runs.empty()) {
    return nothing_to_compare("no run file was given");
  }
  const RunGroup ordered = ordered_by_start(runs);
  if (!baseline_labels.empty()) {
    return pairs_by_label(ordered, baseline_labels);
  }
  const std::vector<RunGroup> groups = by_build_and_label(ordered);
  std::vector<RunGroup> realtime;
  std::vector<RunGroup> normal;
  for (const RunGroup& group : groups) {
    (group.front()->run.tool.build == "realtime" ? realtime : normal).push_back(group);
  }
  if (realtime.empty() || normal.empty()) {
    return pairs_of_one_build(groups);
  }
  if (normal.size() > 1) {
    return nothing_to_compare(
        fmt::format("more than one group of the normal build ({}); name the baseline with --baseline-label",
                    describe_groups(normal)));
  }
  std::vector<GroupPair> pairs;
  pairs.reserve(realtime.size());
  for (const RunGroup& group : realtime) {
    pairs.push_back({group, normal.front()});
  }
  return pairs;
}

}  // namespace rtecho::report

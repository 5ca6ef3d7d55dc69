#include "report/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "report/histogram_codec.hpp"
#include "run_group.hpp"
#include "series_of_run.hpp"

namespace rtecho::report {
namespace {

std::optional<std::int64_t> median_of_maxima(const std::vector<SeriesOfRun>& runs) {
  std::vector<double> values;
  for (const TimedMaximum& maximum : maxima_of(runs)) {
    values.push_back(static_cast<double>(maximum.max_ns));
  }
  const std::optional<double> median = median_of(std::move(values));
  return median ? std::optional(static_cast<std::int64_t>(*median)) : std::nullopt;
}

// Of all samples together: a percentile of percentiles would be no percentile. Absent where a run has no histogram.
std::optional<std::int64_t> pooled_p99_9(const std::vector<SeriesOfRun>& runs) {
  std::vector<std::uint64_t> pooled(Histogram::bucket_count);
  std::uint64_t saturated = 0;
  for (const SeriesOfRun& entry : runs) {
    const LatencySummary* latency = judged_latency(*entry.series);
    if (latency == nullptr || !latency->histogram) {
      return std::nullopt;
    }
    const Outcome<std::vector<std::uint64_t>> counts = decode_histogram(*latency->histogram);
    if (!counts) {
      return std::nullopt;
    }
    std::transform(counts.value().begin(), counts.value().end(), pooled.begin(), pooled.begin(), std::plus<>());
    saturated += latency->saturated;
  }
  return percentile_of(pooled, saturated, {999, 1'000});
}

void add_latency(const LatencySummary& latency, const std::string& source, SeriesFigures& figures) {
  figures.n += latency.n;
  if (latency.min_ns && (!figures.min_ns || *latency.min_ns < *figures.min_ns)) {
    figures.min_ns = latency.min_ns;
  }
  if (latency.max_ns && (!figures.max_ns || *latency.max_ns > *figures.max_ns)) {
    figures.max_ns = latency.max_ns;
    figures.max_sequence = latency.max_sequence.value_or(0);
    figures.max_source = source;
  }
}

SeriesFigures figures_of(const std::vector<SeriesOfRun>& runs) {
  SeriesFigures figures;
  figures.runs = runs.size();
  for (const SeriesOfRun& entry : runs) {
    if (const LatencySummary* latency = judged_latency(*entry.series)) {
      add_latency(*latency, entry.run->source, figures);
    }
    if (entry.series->resume) {
      // An absent value compares as less than any other.
      figures.resume_max_ns = std::max(figures.resume_max_ns, entry.series->resume->max_ns);
    }
    figures.lost += entry.series->accounting.client.lost;
    figures.errors += entry.series->accounting.client.errors();
  }
  figures.median_of_maxima_ns = median_of_maxima(runs);
  figures.p99_9_ns = pooled_p99_9(runs);
  if (figures.p99_9_ns && figures.max_ns && figures.min_ns) {
    // A bucket's upper edge may lie above the exact maximum.
    figures.p99_9_ns = std::clamp(*figures.p99_9_ns, *figures.min_ns, std::max(*figures.min_ns, *figures.max_ns));
  }
  return figures;
}

std::vector<std::string> sorted(const std::set<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

ComparedGroup group_facts(const RunGroup& group) {
  ComparedGroup facts;
  std::set<std::string> builds;
  std::set<std::string> labels;
  std::set<std::string> reasons;
  std::set<std::string> waits;
  facts.runs = group.size();
  for (const NamedRun* named : group) {
    const RunFile& run = named->run;
    builds.insert(run.tool.build);
    labels.insert(run.label);
    facts.runs_not_realtime += run.tool.build == "realtime" && !run.realtime ? 1U : 0U;
    const std::vector<std::string> of_run = doubts(run);
    facts.runs_in_doubt += of_run.empty() ? 0U : 1U;
    reasons.insert(of_run.begin(), of_run.end());
    for (const SeriesRecord& series : run.series) {
      waits.insert(fmt::format("client {}, server {}", series.wait.client, series.wait.server.value_or("unknown")));
    }
  }
  facts.build = builds.size() == 1 ? *builds.begin() : "both";
  facts.labels = sorted(labels);
  facts.doubts = sorted(reasons);
  facts.waits = sorted(waits);
  return facts;
}

std::string name_by_build(const ComparedGroup& group) {
  return group.build == "realtime" ? "real-time" : group.build;
}

std::string name_by_label(const ComparedGroup& group) {
  const std::string joined = fmt::format("{}", fmt::join(group.labels, "+"));
  return joined.empty() ? "(no label)" : joined;
}

void name_groups(Comparison& comparison) {
  const auto name = comparison.of_one_build() ? name_by_label : name_by_build;
  comparison.candidate.name = name(comparison.candidate);
  comparison.baseline.name = name(comparison.baseline);
}

Comparison compare_pair(const GroupPair& pair) {
  Comparison comparison;
  comparison.candidate = group_facts(pair.candidate);
  comparison.baseline = group_facts(pair.baseline);
  name_groups(comparison);
  const SeriesByKey candidate = by_key(pair.candidate);
  const SeriesByKey baseline = by_key(pair.baseline);
  for (const auto& [key, runs] : candidate) {
    const auto other = baseline.find(key);
    if (other == baseline.end()) {
      comparison.only_in_candidate.push_back(key);
      continue;
    }
    comparison.series.push_back({key, figures_of(runs), figures_of(other->second),
                                 ratios_of_neighbours(maxima_of(other->second), maxima_of(runs))});
  }
  for (const auto& [key, runs] : baseline) {
    if (!candidate.contains(key)) {
      comparison.only_in_baseline.push_back(key);
    }
  }
  return comparison;
}

}  // namespace

std::optional<std::int64_t> SeriesFigures::jitter_ns() const {
  return min_ns && max_ns ? std::optional(*max_ns - *min_ns) : std::nullopt;
}

Outcome<std::vector<Comparison>> compare(std::span<const NamedRun> runs, std::span<const std::string> baseline_labels) {
  const Outcome<std::vector<GroupPair>> pairs = choose_pairs(runs, baseline_labels);
  if (!pairs) {
    return pairs.failure();
  }
  std::vector<Comparison> comparisons;
  for (const GroupPair& pair : pairs.value()) {
    comparisons.push_back(compare_pair(pair));
  }
  return comparisons;
}

}  // namespace rtecho::report

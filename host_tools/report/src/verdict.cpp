#include "report/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "measured_quantity.hpp"
#include "series_of_run.hpp"

namespace rtecho::report {
namespace {

bool bounds_latency(Quantity quantity) {
  switch (quantity) {
    case Quantity::lost:
    case Quantity::heap_allocations:
    case Quantity::faults:
    case Quantity::voluntary_switches:
      return false;
    default:
      return true;
  }
}

// The closest rules: every [[bound]] that matches, or [defaults] where none does.
std::vector<const BoundRule*> rules_for(const Bounds& bounds, const SeriesKey& key) {
  std::vector<const BoundRule*> rules;
  for (const BoundRule& rule : bounds.rules) {
    if (rule.matches(key)) {
      rules.push_back(&rule);
    }
  }
  if (rules.empty()) {
    rules.push_back(&bounds.defaults);
  }
  return rules;
}

void weigh(Verdict& verdict, VerdictKind kind, std::string remark) {
  verdict.kind = std::max(verdict.kind, kind);
  verdict.remarks.push_back(std::move(remark));
}

// Whatever keeps a verdict on this series from being a pass.
void add_doubts(const SeriesOfRun& entry, const BoundRule& rule, Verdict& verdict) {
  for (std::string& doubt : doubts(entry.run->run)) {
    weigh(verdict, VerdictKind::inconclusive, std::move(doubt));
  }
  const std::uint64_t samples = recorded_samples(*entry.series);
  if (samples < rule.min_samples) {
    weigh(verdict, VerdictKind::inconclusive, fmt::format("{} of {} samples", samples, rule.min_samples));
  }
  const LatencySummary* latency = judged_latency(*entry.series);
  if (latency != nullptr && latency->negative > 0) {
    weigh(verdict, VerdictKind::inconclusive,
          fmt::format("{} negative latencies: a clock is wrong", latency->negative));
  }
}

// Lost and saturated messages have no place in the histogram, and would otherwise make the maximum look better.
void add_loss(const SeriesOfRun& entry, const BoundRule& rule, Verdict& verdict) {
  const std::uint64_t beyond = beyond_every_bound(*entry.series);
  if (beyond > rule.lost_allowed) {
    weigh(verdict, VerdictKind::fail, fmt::format("{} lost or saturated, each exceeds every bound", beyond));
  } else if (beyond > 0) {
    verdict.remarks.push_back(fmt::format("of the answered, {} lost", beyond));
  }
}

// The last record may hold fewer batches than the others; fewer make the statement weaker, never too strong.
std::uint64_t batch_count(const SeriesRecord& series) {
  return series.batches.empty() ? 0 : (series.batches.size() - 1) * series.batches_per_record + 1;
}

// With no exceedance in n independent samples the probability of one is below 3 / n at 95 %. Within a stall samples are
// not independent, batches are nearly.
void add_rule_of_three(const SeriesRecord& series, Quantity quantity, Verdict& verdict) {
  const bool counts_exceedances = quantity == Quantity::maximum || quantity == Quantity::resume_maximum ||
                                  (quantity == Quantity::lost && verdict.measured == 0.0);
  if (verdict.kind != VerdictKind::pass || !counts_exceedances || verdict.n == 0) {
    return;
  }
  std::string text = fmt::format("P(exceed) < {:.1e} (3/n)", 3.0 / static_cast<double>(verdict.n));
  if (const std::uint64_t batches = batch_count(series); batches > 0) {
    text += fmt::format(", < {:.1e} (3/{} batches)", std::min(1.0, 3.0 / static_cast<double>(batches)), batches);
  }
  verdict.remarks.push_back(std::move(text));
}

Verdict judge_limit(const SeriesOfRun& entry, const BoundRule& rule, const Limit& limit) {
  MeasuredQuantity measured = measure(limit, *entry.series);
  Verdict verdict{
      VerdictKind::pass, entry.run->source, full_text(key_of(*entry.series)), rule.place, limit.key, limit.value,
      measured.value,    measured.n,        measured.worst_sequence,          {}};
  if (measured.value && *measured.value > limit.value) {
    verdict.kind = VerdictKind::fail;
  }
  if (!measured.missing.empty()) {
    weigh(verdict, VerdictKind::inconclusive, std::move(measured.missing));
  }
  if (bounds_latency(limit.quantity)) {
    add_loss(entry, rule, verdict);
  }
  add_doubts(entry, rule, verdict);
  add_rule_of_three(*entry.series, limit.quantity, verdict);
  return verdict;
}

// Sums that do not agree mean that a path was not counted, and an altered reply that the link cannot be trusted:
// neither is a run to be judged by its latencies.
void judge_integrity(const SeriesOfRun& entry, std::vector<Verdict>& verdicts) {
  const AccountingRecord& accounting = entry.series->accounting;
  Verdict verdict;
  verdict.source = entry.run->source;
  verdict.series = full_text(key_of(*entry.series));
  verdict.rule = "always";
  verdict.key = "corrupt";
  verdict.measured = static_cast<double>(accounting.client.corrupt);
  verdict.n = recorded_samples(*entry.series);
  if (!accounting.client.holds() || (accounting.server && !accounting.server->holds())) {
    weigh(verdict, VerdictKind::fail, "the sums of the accounting do not agree");
  }
  if (accounting.client.corrupt > 0) {
    weigh(verdict, VerdictKind::fail, "replies came back altered");
  }
  if (verdict.kind == VerdictKind::fail) {
    verdicts.push_back(std::move(verdict));
  }
}

bool is_the_same_judgement(const Verdict& a, const Verdict& b) {
  return a.source == b.source && a.series == b.series && a.key == b.key && a.bound == b.bound && a.kind == b.kind &&
         a.remarks == b.remarks;
}

void judge_series(const Bounds& bounds, const SeriesOfRun& entry, std::vector<Verdict>& verdicts) {
  judge_integrity(entry, verdicts);
  const auto first_of_series = static_cast<std::ptrdiff_t>(verdicts.size());
  for (const BoundRule* rule : rules_for(bounds, key_of(*entry.series))) {
    for (const Limit& limit : rule->limits) {
      if (limit.quantity == Quantity::maximum_vs_baseline) {
        continue;
      }
      Verdict verdict = judge_limit(entry, *rule, limit);
      // Two rules that match both carry what [defaults] says: one line is enough.
      const bool said = std::any_of(verdicts.begin() + first_of_series, verdicts.end(),
                                    [&](const Verdict& other) { return is_the_same_judgement(verdict, other); });
      if (!said) {
        verdicts.push_back(std::move(verdict));
      }
    }
  }
}

// The ratio over all runs of the series, so its verdict names no single file.
Verdict judge_against_baseline(const BoundRule& rule, const Limit& limit, const std::vector<SeriesOfRun>& runs,
                               const std::vector<SeriesOfRun>& baseline) {
  constexpr std::size_t pairs_min = 3;
  Verdict verdict;
  verdict.source = fmt::format("{} against {} baseline run files", runs.size(), baseline.size());
  verdict.series = full_text(key_of(*runs.front().series));
  verdict.rule = rule.place;
  verdict.key = limit.key;
  verdict.bound = limit.value;
  std::int64_t highest_ns = -1;
  for (const SeriesOfRun& entry : runs) {
    const LatencySummary* latency = judged_latency(*entry.series);
    verdict.n += latency == nullptr ? 0 : latency->n;
    if (latency != nullptr && latency->max_ns.value_or(-1) > highest_ns) {
      highest_ns = *latency->max_ns;
      verdict.worst_sequence = latency->max_sequence;
    }
    add_loss(entry, rule, verdict);
    add_doubts(entry, rule, verdict);
  }
  for (const SeriesOfRun& entry : baseline) {
    add_doubts(entry, rule, verdict);
  }
  const std::optional<RatioRange> ratio = ratios_of_neighbours(maxima_of(runs), maxima_of(baseline));
  const std::size_t pairs = ratio ? ratio->pairs : 0;
  if (ratio) {
    verdict.measured = ratio->median;
    verdict.remarks.push_back(fmt::format("{} pairs, {:.3f} to {:.3f}", pairs, ratio->lowest, ratio->highest));
  }
  if (pairs < pairs_min) {
    weigh(verdict, VerdictKind::inconclusive,
          fmt::format("{} neighbouring pairs of run and baseline, {} are needed: measure them interleaved", pairs,
                      pairs_min));
  } else if (ratio->median > limit.value) {
    verdict.kind = VerdictKind::fail;
  }
  return verdict;
}

RunGroup pointers_to(std::span<const NamedRun> runs) {
  RunGroup pointers;
  for (const NamedRun& run : runs) {
    pointers.push_back(&run);
  }
  return pointers;
}

void judge_ratios(const Bounds& bounds, const SeriesByKey& runs, const SeriesByKey& baseline,
                  std::vector<Verdict>& verdicts) {
  for (const auto& [key, entries] : runs) {
    const auto found = baseline.find(key);
    for (const BoundRule* rule : rules_for(bounds, key)) {
      for (const Limit& limit : rule->limits) {
        if (limit.quantity == Quantity::maximum_vs_baseline) {
          const std::vector<SeriesOfRun> others = found == baseline.end() ? std::vector<SeriesOfRun>{} : found->second;
          verdicts.push_back(judge_against_baseline(*rule, limit, entries, others));
        }
      }
    }
  }
}

Verdict inconclusive(const std::string& rule, const char* why) {
  Verdict verdict;
  verdict.rule = rule;
  verdict.source = "all run files";
  verdict.series = "none";
  verdict.key = "matches";
  weigh(verdict, VerdictKind::inconclusive, why);
  return verdict;
}

}  // namespace

std::vector<Verdict> judge(const Bounds& bounds, std::span<const NamedRun> runs, std::span<const NamedRun> baseline) {
  std::vector<Verdict> verdicts;
  for (const NamedRun& run : runs) {
    for (const SeriesRecord& series : run.run.series) {
      judge_series(bounds, {&run, &series}, verdicts);
    }
  }
  const SeriesByKey series_of_runs = by_key(pointers_to(runs));
  judge_ratios(bounds, series_of_runs, by_key(pointers_to(baseline)), verdicts);
  for (const BoundRule& rule : bounds.rules) {
    const bool matched = std::any_of(series_of_runs.begin(), series_of_runs.end(),
                                     [&](const auto& entry) { return rule.matches(entry.first); });
    if (!matched) {
      verdicts.push_back(inconclusive(rule.place, "no series matches this rule, so it checked nothing"));
    }
  }
  if (verdicts.empty()) {
    verdicts.push_back(inconclusive("all rules", "the run files hold no series that a rule bounds"));
  }
  return verdicts;
}

VerdictKind overall(std::span<const Verdict> verdicts) {
  if (verdicts.empty()) {
    return VerdictKind::inconclusive;
  }
  const auto heaviest = std::max_element(verdicts.begin(), verdicts.end(),
                                         [](const Verdict& a, const Verdict& b) { return a.kind < b.kind; });
  return heaviest->kind;
}

}  // namespace rtecho::report

#include "report/comparison.hpp"

#include <gtest/gtest.h>

#include "sample_runs.hpp"

namespace rtecho::report {
namespace {

using sample::latencies_us;
using sample::udp_run;

Comparison only_comparison(const std::vector<NamedRun>& runs, const std::vector<std::string>& labels = {}) {
  const auto comparisons = compare(runs, labels);
  EXPECT_TRUE(comparisons) << comparisons.failure().sentence;
  EXPECT_EQ(comparisons.value().size(), 1U);
  return comparisons.value().front();
}

NamedRun labelled(NamedRun run, const char* label) {
  run.run.label = label;
  return run;
}

}  // namespace

TEST(Comparison, SetsRealTimeAgainstNormal) {
  const Comparison comparison =
      only_comparison({udp_run("realtime", 1, 100), udp_run("normal", 2, 2'000), udp_run("realtime", 3, 110),
                       udp_run("normal", 4, 3'300), udp_run("realtime", 5, 90), udp_run("normal", 6, 900)});
  EXPECT_EQ(comparison.candidate.name, "real-time");
  EXPECT_EQ(comparison.baseline.name, "normal");
  EXPECT_FALSE(comparison.of_one_build());
  ASSERT_EQ(comparison.series.size(), 1U);
  const ComparedSeries& series = comparison.series[0];
  EXPECT_EQ(series.candidate.runs, 3U);
  EXPECT_EQ(series.candidate.n, 30'000U);
  EXPECT_EQ(series.candidate.min_ns, 20'000);
  EXPECT_EQ(series.candidate.max_ns, 110'000);
  EXPECT_EQ(series.candidate.max_sequence, 10'000U);
  EXPECT_EQ(series.candidate.max_source, "realtime3.json");
  EXPECT_EQ(series.candidate.median_of_maxima_ns, 100'000);
  EXPECT_EQ(series.candidate.jitter_ns(), 90'000);
  EXPECT_EQ(series.candidate.p99_9_ns, 20'015);
  EXPECT_EQ(series.candidate.resume_max_ns, 90'000);
  EXPECT_EQ(series.baseline.max_ns, 3'300'000);
  ASSERT_TRUE(series.ratio);
  EXPECT_EQ(series.ratio->pairs, 3U);
  EXPECT_DOUBLE_EQ(series.ratio->median, 20);
  EXPECT_DOUBLE_EQ(series.ratio->lowest, 10);
  EXPECT_DOUBLE_EQ(series.ratio->highest, 30);
}

TEST(Comparison, OrdersByStartNotByArgument) {
  const Comparison comparison = only_comparison({udp_run("normal", 4, 4'000), udp_run("normal", 2, 1'000),
                                                 udp_run("realtime", 3, 100), udp_run("realtime", 1, 100)});
  EXPECT_DOUBLE_EQ(comparison.series[0].ratio->lowest, 10);
  EXPECT_DOUBLE_EQ(comparison.series[0].ratio->highest, 40);
}

TEST(Comparison, ListsWhatIsNotInBoth) {
  NamedRun realtime = udp_run("realtime", 1, 100);
  realtime.run.series.push_back(sample::series("tcp", 64, latencies_us(10, 20, 30)));
  NamedRun normal = udp_run("normal", 2, 100);
  normal.run.series.push_back(sample::series("udp", 1'024, latencies_us(10, 20, 30)));
  const Comparison comparison = only_comparison({realtime, normal});
  ASSERT_EQ(comparison.only_in_candidate.size(), 1U);
  EXPECT_EQ(short_text(comparison.only_in_candidate[0]), "tcp 64 B");
  ASSERT_EQ(comparison.only_in_baseline.size(), 1U);
  EXPECT_EQ(short_text(comparison.only_in_baseline[0]), "udp 1024 B");
}

TEST(Comparison, SumsLossAndErrors) {
  NamedRun first = udp_run("realtime", 1, 100);
  first.run.series[0].accounting.client.lost = 2;
  first.run.series[0].accounting.client.malformed = 3;
  NamedRun second = udp_run("realtime", 2, 100);
  second.run.series[0].accounting.client.lost = 1;
  const Comparison comparison = only_comparison({first, second, udp_run("normal", 3, 200)});
  EXPECT_EQ(comparison.series[0].candidate.lost, 3U);
  EXPECT_EQ(comparison.series[0].candidate.errors, 3U);
}

TEST(Comparison, HasNoRatioWhereNothingWasAnswered) {
  NamedRun silent = udp_run("realtime", 1, 100);
  silent.run.series[0].service = LatencySummary{};
  const Comparison comparison = only_comparison({silent, udp_run("normal", 2, 200)});
  EXPECT_FALSE(comparison.series[0].ratio);
  EXPECT_FALSE(comparison.series[0].candidate.max_ns);
  EXPECT_FALSE(comparison.series[0].candidate.jitter_ns());
  EXPECT_FALSE(comparison.series[0].candidate.p99_9_ns);
}

TEST(Comparison, PoolsThePercentileOverAllRuns) {
  // 600 + 600 samples: one run alone has too few for p99.9. The two slowest of 1,200: rank 1,199.
  const auto half = [](int minute, std::int64_t max_us) {
    return sample::run("realtime", minute, {sample::series("udp", 64, latencies_us(600, 1, max_us))});
  };
  const Comparison comparison = only_comparison({half(1, 2), half(2, 3), udp_run("normal", 3, 100)});
  EXPECT_EQ(comparison.series[0].candidate.p99_9_ns, 2'000);
}

TEST(Comparison, KeepsHeadingFacts) {
  NamedRun degraded = udp_run("realtime", 1, 100);
  degraded.run.realtime = false;
  degraded.run.client.degraded = {"no SCHED_FIFO"};
  NamedRun normal = udp_run("normal", 2, 200);
  normal.run.series[0].wait = {"block", std::nullopt};
  const Comparison comparison = only_comparison({degraded, udp_run("realtime", 3, 100), normal});
  EXPECT_EQ(comparison.candidate.runs, 2U);
  EXPECT_EQ(comparison.candidate.runs_in_doubt, 1U);
  EXPECT_EQ(comparison.candidate.runs_not_realtime, 1U);
  EXPECT_EQ(comparison.candidate.doubts, std::vector<std::string>{"client degraded: no SCHED_FIFO"});
  EXPECT_EQ(comparison.baseline.runs_not_realtime, 0U);
  EXPECT_EQ(comparison.baseline.waits, std::vector<std::string>{"client block, server unknown"});
  EXPECT_TRUE(comparison.waits_differ());
}

TEST(Comparison, ComparesTwoLabelsOfOneBuild) {
  const Comparison comparison =
      only_comparison({labelled(udp_run("realtime", 2, 100), "second"), labelled(udp_run("realtime", 1, 110), "first"),
                       labelled(udp_run("realtime", 4, 120), "second"), labelled(udp_run("realtime", 3, 90), "first")});
  EXPECT_TRUE(comparison.of_one_build());
  EXPECT_EQ(comparison.baseline.name, "first");
  EXPECT_EQ(comparison.candidate.name, "second");
  EXPECT_DOUBLE_EQ(comparison.series[0].ratio->lowest, 0.75);
  EXPECT_DOUBLE_EQ(comparison.series[0].ratio->highest, 1.1);
}

TEST(Comparison, TakesTheBaselineByLabel) {
  const std::vector<NamedRun> runs = {labelled(udp_run("realtime", 1, 100), "a"),
                                      labelled(udp_run("realtime", 2, 100), "b"),
                                      labelled(udp_run("normal", 3, 100), "c")};
  const auto comparisons = compare(runs, std::vector<std::string>{"b"});
  ASSERT_TRUE(comparisons);
  ASSERT_EQ(comparisons.value().size(), 2U);
  EXPECT_EQ(comparisons.value()[0].candidate.labels, std::vector<std::string>{"a"});
  EXPECT_EQ(comparisons.value()[1].candidate.labels, std::vector<std::string>{"c"});
  EXPECT_EQ(comparisons.value()[1].baseline.labels, std::vector<std::string>{"b"});
  EXPECT_EQ(only_comparison(runs, {"a", "b"}).baseline.runs, 2U);
}

TEST(Comparison, SetsEveryRealTimeLabelAgainstTheNormalBuild) {
  const std::vector<NamedRun> runs = {labelled(udp_run("realtime", 1, 100), "a"),
                                      labelled(udp_run("realtime", 2, 100), "b"), udp_run("normal", 3, 100)};
  EXPECT_EQ(compare(runs, {}).value().size(), 2U);
}

TEST(Comparison, SaysWhyThereIsNothingToCompare) {
  const auto sentence = [](const std::vector<NamedRun>& runs, const std::vector<std::string>& labels) {
    const auto comparisons = compare(runs, labels);
    return comparisons ? "" : comparisons.failure().sentence;
  };
  const NamedRun a = labelled(udp_run("realtime", 1, 100), "a");
  const NamedRun b = labelled(udp_run("realtime", 2, 100), "b");
  const NamedRun c = labelled(udp_run("realtime", 3, 100), "c");
  EXPECT_EQ(sentence({}, {}), "nothing to compare: no run file was given");
  EXPECT_EQ(sentence({a}, {}),
            "nothing to compare: all run files are of one group (realtime build, label \"a\"); give files of the other "
            "build, or of another label");
  EXPECT_NE(sentence({a, b, c}, {}).find("more than two labels"), std::string::npos);
  EXPECT_EQ(sentence({a, b}, {"z"}), "nothing to compare: no run file has the baseline's label \"z\"");
  EXPECT_NE(sentence({a, b}, {"a", "b"}).find("every run file belongs to the baseline"), std::string::npos);
  EXPECT_NE(sentence({a, labelled(udp_run("normal", 4, 1), "x"), labelled(udp_run("normal", 5, 1), "y")}, {})
                .find("more than one group of the normal build"),
            std::string::npos);
}

}  // namespace rtecho::report

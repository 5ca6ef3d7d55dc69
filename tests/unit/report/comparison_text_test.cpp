#include "report/comparison_text.hpp"

#include <gtest/gtest.h>

#include "sample_runs.hpp"

namespace rtecho::report {
namespace {

using sample::udp_run;

Comparison sample_comparison() {
  NamedRun normal = udp_run("normal", 2, 2'000);
  normal.run.series[0].wait = {"block", "block"};
  return compare(std::vector<NamedRun>{udp_run("realtime", 1, 100), normal}, {}).value().front();
}

}  // namespace

TEST(ComparisonText, IsAnAlignedTable) {
  EXPECT_EQ(
      comparison_text(sample_comparison(), TextFormat::table, Reference::none),
      "real-time against normal: full round trips; drivers (client/server): socket/socket; waits differ\n"
      "real-time: 1 run, label \"pinned\", waits: client spin, server spin\n"
      "normal: 1 run, label \"ordinary\", waits: client block, server block\n"
      "\n"
      "series    build          n  min µs  p99.9 µs  max µs  at message  median max µs  jitter µs  resume max µs  lost "
      " "
      "errors  max normal / real-time\n"
      "udp 64 B  real-time  10000    20.0      20.0   100.0      #10000          100.0       80.0           90.0     0 "
      " "
      "     0  20.00 (1 pair)\n"
      "          normal     10000    20.0      20.0  2000.0      #10000         2000.0     1980.0           90.0     0 "
      " "
      "     0\n"
      "\n"
      "In 1 of 1 series the real-time maximum was lower than the normal one; the median of the ratios is 20.00 (20.00 "
      "to 20.00); the largest real-time maximum was 100.0 µs (udp 64 B, n = 10000).\n");
}

TEST(ComparisonText, PutsThePublishedResultsBelow) {
  const std::string text = comparison_text(sample_comparison(), TextFormat::table, Reference::rtx);
  EXPECT_NE(
      text.find("          RTX, published      10000      35         -      52           -              -         17"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("11.06 (Windows / RTX)"), std::string::npos);
  EXPECT_NE(text.find("          Windows, published  10000      54         -     575"), std::string::npos) << text;
}

TEST(ComparisonText, HasMarkdown) {
  const std::string text = comparison_text(sample_comparison(), TextFormat::markdown, Reference::none);
  EXPECT_NE(text.find("| udp 64 B | real-time | 10000 |"), std::string::npos) << text;
  EXPECT_NE(text.find("waits differ\\\n"), std::string::npos);
}

TEST(ComparisonText, ShowsDoubtsAndDisarmsLabels) {
  NamedRun degraded = udp_run("realtime", 1, 100);
  degraded.run.realtime = false;
  degraded.run.label = "a\x1B[2J";
  degraded.run.client.degraded = {"no SCHED_FIFO"};
  NamedRun normal = udp_run("normal", 2, 50);
  normal.run.series.push_back(sample::series("tcp", 1, {20}));
  const Comparison comparison = compare(std::vector<NamedRun>{degraded, normal}, {}).value().front();
  const std::string text = comparison_text(comparison, TextFormat::table, Reference::none);
  EXPECT_NE(text.find("DEGRADED: 1 of 1 runs: client degraded: no SCHED_FIFO\n"), std::string::npos) << text;
  EXPECT_NE(text.find("NOT REAL-TIME: 1 of 1 runs"), std::string::npos);
  EXPECT_NE(text.find("label \"a?[2J\""), std::string::npos);
  EXPECT_NE(text.find("only in normal: tcp 1 B, socket/socket\n"), std::string::npos);
  EXPECT_NE(
      text.find(
          "In 0 of 1 series the real-time maximum was lower than the normal one; the median of the ratios is 0.50"),
      std::string::npos);
}

TEST(ComparisonText, UsesMoreDecimalsForShortTimes) {
  const auto short_run = [](const char* build, int minute) {
    return sample::run(build, minute, {sample::series("udp", 64, {1, 2})});
  };
  const Comparison comparison =
      compare(std::vector<NamedRun>{short_run("realtime", 1), short_run("normal", 2)}, {}).value().front();
  EXPECT_NE(comparison_text(comparison, TextFormat::table, Reference::none).find("1.00"), std::string::npos);
}

TEST(ComparisonJson, HasNanosecondsAndNulls) {
  const nlohmann::json json = comparison_json(sample_comparison(), Reference::rtx);
  const nlohmann::json& series = json["series"][0];
  EXPECT_EQ(series["message_bytes"], 64);
  EXPECT_EQ(series["candidate"]["max_ns"], 100'000);
  EXPECT_EQ(series["candidate"]["max_sequence"], 10'000);
  EXPECT_EQ(series["max_ratio"]["median"], 20.0);
  EXPECT_EQ(series["reference_rtx"]["rtx"]["max_us"], 52);
  EXPECT_EQ(json["waits_differ"], true);
  EXPECT_FALSE(comparison_json(sample_comparison(), Reference::none)["series"][0].contains("reference_rtx"));
}

TEST(SummarySentence, CallsAnAaComparisonNoise) {
  NamedRun first = udp_run("realtime", 1, 100);
  first.run.label = "a";
  const Comparison comparison = compare(std::vector<NamedRun>{first, udp_run("realtime", 2, 110)}, {}).value().front();
  EXPECT_EQ(
      summary_sentence(comparison),
      "Two groups of one build, so this is the noise: over 1 series the maxima differ by 0.91 to 0.91 times (median "
      "0.91); the largest pinned maximum was 110.0 µs (udp 64 B, n = 10000).");
}

TEST(SummarySentence, SaysWhenThereIsNoRatio) {
  NamedRun silent = udp_run("realtime", 1, 100);
  silent.run.series[0].service = LatencySummary{};
  const Comparison comparison = compare(std::vector<NamedRun>{silent, udp_run("normal", 2, 110)}, {}).value().front();
  EXPECT_EQ(summary_sentence(comparison), "No series has a maximum on both sides, so there is no ratio.");
}

}  // namespace rtecho::report

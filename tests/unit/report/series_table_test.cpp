#include "report/series_table.hpp"

#include <gtest/gtest.h>

namespace rtecho::report {
namespace {

RunFile run_with_one_series() {
  RunFile run;
  run.tool = {"rtecho", "0.1.0", "realtime", "GNU"};
  run.realtime = true;
  run.complete = true;
  run.label = "realtime";
  SeriesRecord& series = run.series.emplace_back();
  series.protocol = "udp";
  series.message_bytes = 64;
  series.wait.client = "spin";
  series.wait.server = "spin";
  LatencySummary service;
  service.n = 10'000;
  service.min_ns = 8'123;
  service.max_ns = 101'400;
  service.percentiles = {{"p50", 9'500}, {"p99", 12'000}};
  series.service = service;
  ResumeSummary resume;
  resume.n = 16;
  resume.max_ns = 150'000;
  series.resume = resume;
  return run;
}

TEST(SeriesTable, HasARowPerSeriesInMicroseconds) {
  const std::string text = series_table(run_with_one_series());
  EXPECT_NE(text.find("udp          64  service  10000     0  8.1  9.5  12.0      -  101.4    93.3       150.0"),
            std::string::npos)
      << text;
}

TEST(SeriesTable, SaysThatAPingPongHasNoSchedule) {
  RunFile run = run_with_one_series();
  EXPECT_NE(series_table(run).find("no schedule"), std::string::npos);
  run.series[0].response = run.series[0].service;
  const std::string paced = series_table(run);
  EXPECT_EQ(paced.find("no schedule"), std::string::npos);
  EXPECT_NE(paced.find("response"), std::string::npos);
}

TEST(SeriesTable, NeverCallsADegradedRunRealTime) {
  RunFile run = run_with_one_series();
  run.realtime = false;
  run.client.degraded = {"SCHED_FIFO 80 refused"};
  const std::string text = series_table(run);
  EXPECT_NE(text.find("realtime: false"), std::string::npos);
  EXPECT_NE(text.find("DEGRADED, client: SCHED_FIFO 80 refused"), std::string::npos);
}

TEST(SeriesTable, NamesWhatBecameOfTheOthers) {
  RunFile run = run_with_one_series();
  run.complete = false;
  run.series[0].accounting.client.lost = 3;
  run.series[0].accounting.client.late = 2;
  run.series[0].accounting.lost_up = 1;
  run.series[0].accounting.lost_down = 2;
  const std::string text = series_table(run);
  EXPECT_NE(text.find("udp 64 B: 2 late, lost on the way up 1, down 2"), std::string::npos) << text;
  EXPECT_NE(text.find("INCOMPLETE"), std::string::npos);
}

TEST(SeriesTable, ShowsNoControlCharacterOfALabel) {
  RunFile run = run_with_one_series();
  run.label = "a\x1b[31m";
  EXPECT_EQ(series_table(run).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace rtecho::report

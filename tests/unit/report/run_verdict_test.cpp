#include "report/run_verdict.hpp"

#include <gtest/gtest.h>

namespace rtecho::report {
namespace {

SeriesRecord clean_series(std::uint64_t message_bytes = 64) {
  SeriesRecord series;
  series.protocol = "udp";
  series.message_bytes = message_bytes;
  series.wait.client = "spin";
  series.wait.server = "spin";
  series.accounting.client = {.attempted = 10, .sent = 10, .answered = 10, .frames = 10};
  series.accounting.server = ServerAccounting{.frames = 10, .requests = 10, .replies = 10};
  WindowRecord window;
  window.heap_allocations = 0;
  window.minor_faults = 0;
  window.voluntary_switches = 0;
  series.determinism.client = window;
  series.determinism.server = window;
  LatencySummary service;
  service.n = 10;
  service.min_ns = 8'000;
  series.service = service;
  return series;
}

RunFile run_of(const SeriesRecord& series) {
  RunFile run;
  run.complete = true;
  run.series.push_back(series);
  return run;
}

TEST(ExitCodeOf, ACleanRunIsClean) {
  EXPECT_EQ(exit_code_of(run_of(clean_series()), 0, true), ExitCode::clean);
}

TEST(ExitCodeOf, LossAboveTheAllowedIsNegative) {
  SeriesRecord series = clean_series();
  series.accounting.client = {.attempted = 10, .sent = 10, .answered = 8, .lost = 2, .frames = 8};
  EXPECT_EQ(exit_code_of(run_of(series), 1, false), ExitCode::verdict_negative);
  EXPECT_EQ(exit_code_of(run_of(series), 2, false), ExitCode::clean);
}

TEST(ExitCodeOf, AnythingCorruptIsNegative) {
  SeriesRecord series = clean_series();
  series.accounting.client = {.attempted = 10, .sent = 10, .answered = 10, .frames = 11, .corrupt = 1};
  EXPECT_EQ(exit_code_of(run_of(series), 0, false), ExitCode::verdict_negative);
}

TEST(ExitCodeOf, SumsThatDoNotAgreeAreNegative) {
  SeriesRecord series = clean_series();
  series.accounting.server->replies = 9;
  EXPECT_EQ(broken_equations(run_of(series)).size(), 1U);
  EXPECT_EQ(exit_code_of(run_of(series), 0, false), ExitCode::verdict_negative);
}

TEST(ExitCodeOf, ADegradedRunMayNotBeReliedOn) {
  RunFile run = run_of(clean_series());
  run.server = EndRecord{};
  run.server->degraded = {"SCHED_FIFO refused"};
  EXPECT_EQ(exit_code_of(run, 0, false), ExitCode::not_reliable);
}

TEST(BrokenPromises, NameTheEndAndTheCount) {
  SeriesRecord series = clean_series();
  series.determinism.server->minor_faults = 3;
  const auto broken = broken_promises(run_of(series));
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_EQ(broken[0], "udp 64 B, server: 3 minor page faults in the measured windows");
  EXPECT_EQ(exit_code_of(run_of(series), 0, true), ExitCode::verdict_negative);
  EXPECT_EQ(exit_code_of(run_of(series), 0, false), ExitCode::clean);
}

TEST(BrokenPromises, ABlockingEndMaySwitch) {
  SeriesRecord series = clean_series();
  series.determinism.client->voluntary_switches = 100;
  EXPECT_EQ(broken_promises(run_of(series)).size(), 1U);
  series.wait.client = "block";
  EXPECT_TRUE(broken_promises(run_of(series)).empty());
}

TEST(SuspiciousMinima, WarnOnlyWhereAReplyMayHaveMetTheWrongRequest) {
  SeriesRecord tag = clean_series(1);
  tag.service->min_ns = 1'999;
  RunFile run = run_of(clean_series());
  run.series.push_back(tag);
  note_suspicious_minima(run);
  EXPECT_TRUE(run.warnings.empty()) << "nothing was late, lost or doubled";
  run.series[1].accounting.client.late = 1;
  note_suspicious_minima(run);
  EXPECT_EQ(run.warnings.size(), 1U);
  run.series[1].service->min_ns = 2'000;
  run.warnings.clear();
  note_suspicious_minima(run);
  EXPECT_TRUE(run.warnings.empty()) << "a quarter is not below a quarter";
}

}  // namespace
}  // namespace rtecho::report

#include "report/series_key.hpp"

#include <gtest/gtest.h>

#include "sample_runs.hpp"

namespace rtecho::report {

TEST(SeriesKey, NamesProtocolSizeAndDrivers) {
  SeriesRecord series = sample::series("udp", 64, {20});
  EXPECT_EQ(short_text(key_of(series)), "udp 64 B");
  EXPECT_EQ(full_text(key_of(series)), "udp 64 B, socket/socket");
  series.server_driver.reset();
  EXPECT_EQ(full_text(key_of(series)), "udp 64 B, socket/unknown");
}

TEST(SeriesKey, OrdersBySizeAsNumber) {
  EXPECT_LT(key_of(sample::series("udp", 64, {20})), key_of(sample::series("udp", 1'024, {20})));
  EXPECT_LT(key_of(sample::series("tcp", 64, {20})), key_of(sample::series("udp", 1, {20})));
}

TEST(SeriesKey, KeepsPacedSeriesApart) {
  const SeriesRecord series = sample::series("udp", 64, {20});
  SeriesRecord paced = series;
  paced.response = paced.service;
  EXPECT_NE(key_of(series), key_of(paced));
  EXPECT_EQ(short_text(key_of(paced)), "udp 64 B paced");
}

TEST(JudgedLatency, IsTheResponseWhereThereIsASchedule) {
  SeriesRecord series = sample::series("udp", 64, {20});
  EXPECT_EQ(judged_latency(series), &*series.service);
  series.response = LatencySummary{};
  EXPECT_EQ(judged_latency(series), &*series.response);
  EXPECT_EQ(judged_latency(SeriesRecord{}), nullptr);
}

TEST(Doubts, AreTheReasonsNotToRelyOnARun) {
  RunFile run = sample::udp_run("realtime", 1, 30).run;
  EXPECT_TRUE(doubts(run).empty());
  run.client.degraded = {"no SCHED_FIFO"};
  run.server->degraded = {"no memory lock"};
  run.complete = false;
  EXPECT_EQ(doubts(run), (std::vector<std::string>{"client degraded: no SCHED_FIFO", "server degraded: no memory lock",
                                                   "the run was not completed"}));
}

TEST(ReadRuns, EndsAtTheFirstThatCannotBeRead) {
  EXPECT_TRUE(read_runs({}).value().empty());
  EXPECT_EQ(read_runs({"/nonexistent/run.json"}).failure().kind, FailureKind::system);
}

}  // namespace rtecho::report

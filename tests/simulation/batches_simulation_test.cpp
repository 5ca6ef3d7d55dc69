// Batches, rests, resume and warm-up: counted exactly.
#include <gtest/gtest.h>

#include "simulation.hpp"

namespace rtecho::simulation {
namespace {

class SeriesRun : public Simulation {
 public:
  explicit SeriesRun(const ClientPlan& client, const FaultPlan& up = {})
      : Simulation(Scenario{.client = client, .up = up, .down = {}, .stall_begins = {}, .stall_ends = {}}) {
    run();
  }
};

ClientPlan default_batches(std::uint64_t count, std::uint64_t warmup) {
  ClientPlan plan = ping_pong(64, count);
  plan.warmup = warmup;
  plan.batch = BatchPlan{};
  return plan;
}

std::uint64_t messages_in_batches(const SeriesRecord& record) {
  std::uint64_t n = 0;
  for (const BatchRecord& batch : record.batches.records()) {
    n += batch.n;
  }
  return n;
}

TEST(Batches, TenThousandMessagesAreTwentyBatchesWithSixteenResumedEach) {
  const SeriesRun run(default_batches(10'000, 0));
  ASSERT_EQ(run.record().end, SeriesEnd::complete);
  EXPECT_EQ(run.record().batches.batches(), 20U);
  EXPECT_EQ(run.ended_edges(), 20U);
  EXPECT_EQ(run.record().rests, 19U) << "none after the last";
  EXPECT_EQ(run.record().resume.n(), 320U);
  EXPECT_EQ(run.record().service.n(), 10'000U);
  EXPECT_EQ(messages_in_batches(run.record()), 10'000U);
  EXPECT_EQ(run.client().attempted, 10'320U);
}

TEST(Batches, TheWarmupIsCountedAndNotRecorded) {
  const SeriesRun run(default_batches(1'000, 1'000));
  ASSERT_EQ(run.record().end, SeriesEnd::complete);
  EXPECT_EQ(run.client().warmup, 1'000U);
  EXPECT_EQ(run.client().resume, 32U);
  EXPECT_EQ(run.client().attempted, 2'032U);
  EXPECT_EQ(run.client().answered, 2'032U);
  EXPECT_EQ(run.record().service.n(), 1'000U);
  EXPECT_EQ(run.record().resume.n(), 32U);
  EXPECT_EQ(run.record().batches.batches(), 2U) << "those of the warm-up record nothing";
  EXPECT_EQ(run.record().rests, 3U) << "but rest all the same";
}

TEST(Batches, WithoutRestsThereIsOneBatchAndNothingResumes) {
  ClientPlan plan = default_batches(10'000, 100);
  plan.batch.messages = 0;
  const SeriesRun run(plan);
  ASSERT_EQ(run.record().end, SeriesEnd::complete);
  EXPECT_EQ(run.record().rests, 0U);
  EXPECT_EQ(run.record().batches.batches(), 1U);
  EXPECT_EQ(run.record().resume.n(), 0U);
  EXPECT_EQ(run.record().service.n(), 10'000U);
}

TEST(Batches, ARestLastsSevenMillisecondsAfterAShortBatch) {
  ClientPlan plan = default_batches(20, 0);
  plan.batch.messages = 10;
  plan.batch.resume = 0;
  const SeriesRun run(plan);
  EXPECT_EQ(run.record().rests, 1U);
  EXPECT_GE(run.record().elapsed, Duration::from_ms(7));
  EXPECT_LT(run.record().elapsed, Duration::from_us(7'500));
}

TEST(Batches, ABatchEndsAfterAHundredMilliseconds) {
  ClientPlan plan = default_batches(300, 0);
  plan.batch.resume = 0;
  plan.pacing = {.numerator_ns = 1'000'000, .window = 64};
  const SeriesRun run(plan);
  ASSERT_EQ(run.record().end, SeriesEnd::complete);
  EXPECT_EQ(run.record().batches.batches(), 3U);
  EXPECT_EQ(run.record().batches.records()[0].n, 100U);
}

TEST(Batches, TheScheduleContinuesAfterARest) {
  ClientPlan plan = default_batches(40, 0);
  plan.batch.messages = 10;
  plan.batch.resume = 0;
  plan.pacing = {.numerator_ns = 1'000'000, .window = 64};
  const SeriesRun run(plan);
  ASSERT_EQ(run.record().end, SeriesEnd::complete);
  EXPECT_EQ(run.record().rests, 3U);
  EXPECT_EQ(run.record().slip.n(), 40U);
  EXPECT_LT(run.record().slip.max().value(), Duration::from_us(25)) << "a rest of 7 ms would be 7 slots late";
  EXPECT_LT(run.record().response.max().value(), Duration::from_us(50));
  EXPECT_GE(run.record().elapsed, Duration::from_ms(39 + 21)) << "39 spacings and three rests";
  EXPECT_LT(run.record().elapsed, Duration::from_ms(39 + 21 + 1));
}

TEST(Batches, RunForATimeInsteadOfACount) {
  ClientPlan plan = default_batches(0, 0);
  plan.run_for = Duration::from_ms(50);
  const SeriesRun run(plan);
  ASSERT_EQ(run.record().end, SeriesEnd::complete);
  EXPECT_GE(run.record().elapsed, Duration::from_ms(50));
  EXPECT_LT(run.record().elapsed, Duration::from_ms(60)) << "at most a rest later";
  EXPECT_GT(run.record().service.n(), 1'000U);
  EXPECT_EQ(run.record().service.n() + run.record().resume.n(), run.client().attempted);
}

TEST(Batches, AOneByteSeriesWaitsOutTheDrainOncePerLoss) {
  ClientPlan plan = ping_pong(1, 300);
  const SeriesRun clean(plan);
  EXPECT_EQ(clean.record().drain_waits, 0U);
  const SeriesRun lossy(plan, {.seed = 2, .drop_per_million = 50'000});
  ASSERT_EQ(lossy.record().end, SeriesEnd::complete);
  EXPECT_GT(lossy.client().lost, 3U);
  EXPECT_EQ(lossy.record().drain_waits, lossy.client().lost);
  EXPECT_EQ(lossy.client().late + lossy.client().stray + lossy.client().duplicate, 0U);
}

TEST(Batches, ADelayedOneByteReplyNeverMeetsItsSuccessor) {
  ClientPlan plan = ping_pong(1, 300);
  const FaultPlan delay{.seed = 3, .delay_per_million = 50'000, .delay_fixed = Duration::from_us(3'500)};
  const SeriesRun run(plan, delay);
  ASSERT_EQ(run.record().end, SeriesEnd::complete);
  EXPECT_EQ(run.client().late, run.up().delayed) << "timeout 2 ms, drain up to 4 ms";
  EXPECT_EQ(run.client().lost, 0U);
  EXPECT_EQ(run.client().duplicate + run.client().stray, 0U);
}

}  // namespace
}  // namespace rtecho::simulation

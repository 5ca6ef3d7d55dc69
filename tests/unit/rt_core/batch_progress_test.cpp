#include "rt_core/batch_progress.hpp"

#include <gtest/gtest.h>

namespace rtecho {
namespace {

constexpr Instant at_us(std::int64_t us) {
  return Instant::from_ns(us * 1'000);
}

ClientPlan plan_of(std::uint64_t count, std::uint64_t warmup, std::uint64_t batch, std::uint64_t resume) {
  ClientPlan plan;
  plan.count = count;
  plan.warmup = warmup;
  plan.batch.messages = batch;
  plan.batch.resume = resume;
  return plan;
}

struct Tally {
  std::uint64_t batches = 0;
  std::uint64_t warmup = 0;
  std::uint64_t resume = 0;
  std::uint64_t recorded = 0;
};

// A series in which every message takes 10 us, as the client drives it; at most `batches_max` batches.
Tally run(const ClientPlan& plan, std::uint64_t batches_max = 1'000) {
  BatchProgress progress(plan);
  Tally tally;
  Instant now = at_us(1);
  while (tally.batches < batches_max) {
    progress.begin(now);
    ++tally.batches;
    while (!progress.batch_is_over(now)) {
      switch (progress.next(now)) {
        case MessageClass::warmup:
          ++tally.warmup;
          break;
        case MessageClass::resume:
          ++tally.resume;
          break;
        case MessageClass::recorded:
          ++tally.recorded;
          break;
      }
      now += Duration::from_us(10);
    }
    if (progress.series_is_over(now)) {
      break;
    }
    now += plan.batch.rest_after(progress.batch_length(now), Duration::from_ms(2));
  }
  return tally;
}

TEST(BatchProgress, TenThousandMessagesAreTwentyBatches) {
  const Tally tally = run(plan_of(10'000, 0, 500, 16));
  EXPECT_EQ(tally.batches, 20U);
  EXPECT_EQ(tally.resume, 320U);
  EXPECT_EQ(tally.recorded, 10'000U);
  EXPECT_EQ(tally.warmup, 0U);
}

TEST(BatchProgress, TheWarmupHasBatchesOfItsOwnWithoutResume) {
  const Tally tally = run(plan_of(10'000, 1'001, 500, 16));
  EXPECT_EQ(tally.batches, 23U) << "500, 500, 1, and 20 that record";
  EXPECT_EQ(tally.warmup, 1'001U);
  EXPECT_EQ(tally.resume, 320U);
  EXPECT_EQ(tally.recorded, 10'000U);
}

TEST(BatchProgress, AFullLastBatchIsNotFollowedByAnEmptyOne) {
  EXPECT_EQ(run(plan_of(500, 0, 500, 0)).batches, 1U);
  const Tally one_more = run(plan_of(501, 0, 500, 4));
  EXPECT_EQ(one_more.batches, 2U);
  EXPECT_EQ(one_more.recorded, 501U);
  EXPECT_EQ(one_more.resume, 8U);
}

TEST(BatchProgress, OneMessageIsOneBatch) {
  const Tally tally = run(plan_of(1, 0, 500, 0));
  EXPECT_EQ(tally.batches, 1U);
  EXPECT_EQ(tally.recorded, 1U);
}

TEST(BatchProgress, WithoutRestsWarmupAndRecordedAreOneBatch) {
  ClientPlan plan = plan_of(2'000, 300, 0, 16);
  const Tally tally = run(plan);
  EXPECT_EQ(tally.batches, 1U);
  EXPECT_EQ(tally.warmup, 300U);
  EXPECT_EQ(tally.resume, 0U) << "no rest, nothing resumes";
  EXPECT_EQ(tally.recorded, 2'000U);
}

TEST(BatchProgress, ABatchEndsAfterItsLongestTime) {
  const Tally tally = run(plan_of(20'000, 0, 1'000'000, 0));
  EXPECT_EQ(tally.batches, 2U) << "10,000 messages of 10 us are 100 ms";
  EXPECT_EQ(tally.recorded, 20'000U);
}

TEST(BatchProgress, IsOverExactlyAtItsLongestTime) {
  BatchProgress progress(plan_of(100, 0, 50, 0));
  progress.begin(at_us(7));
  (void)progress.next(at_us(7));
  EXPECT_FALSE(progress.batch_is_over(Instant::from_ns(100'006'999)));
  EXPECT_TRUE(progress.batch_is_over(Instant::from_ns(100'007'000)));
}

TEST(BatchProgress, RunsForATimeInsteadOfACount) {
  ClientPlan plan = plan_of(0, 0, 500, 0);
  plan.run_for = Duration::from_ms(1);
  EXPECT_EQ(run(plan).recorded, 100U);
}

TEST(BatchProgress, IsNeverOverWhileItWarmsUp) {
  ClientPlan plan = plan_of(0, 1, 500, 0);
  plan.run_for = Duration::from_ns(1);
  BatchProgress progress(plan);
  EXPECT_EQ(progress.series_length(at_us(50)), Duration{});
  progress.begin(at_us(100));
  EXPECT_TRUE(progress.warming_up());
  EXPECT_FALSE(progress.series_is_over(at_us(1'000)));
  EXPECT_FALSE(progress.batch_is_over(at_us(100)));
  EXPECT_EQ(progress.next(at_us(100)), MessageClass::warmup);
  EXPECT_TRUE(progress.batch_is_over(at_us(101)));
  EXPECT_EQ(progress.series_length(at_us(150)).ns(), 50'000);
}

TEST(BatchProgress, SaysBeforehandWhetherTheNextBatchRecords) {
  BatchProgress warm(plan_of(10, 2, 500, 0));
  EXPECT_FALSE(warm.next_batch_records());
  warm.begin(at_us(0));
  (void)warm.next(at_us(1));
  (void)warm.next(at_us(2));
  EXPECT_TRUE(warm.next_batch_records());
  EXPECT_TRUE(BatchProgress(plan_of(10, 0, 500, 0)).next_batch_records());
  EXPECT_TRUE(BatchProgress(plan_of(10, 2, 0, 0)).next_batch_records()) << "one batch for both";
}

TEST(BatchProgress, KnowsTheLengthOfTheBatch) {
  BatchProgress progress(plan_of(10, 0, 5, 0));
  progress.begin(at_us(1));
  progress.begin(at_us(5));
  EXPECT_EQ(progress.batch_length(at_us(80'000)).ns(), 79'995'000);
  EXPECT_EQ(progress.series_length(at_us(80'000)).ns(), 79'999'000);
}

TEST(BatchProgress, SaysWhenTimeAloneEndsIt) {
  ClientPlan plan = plan_of(0, 0, 500, 0);
  plan.run_for = Duration::from_ms(40);
  BatchProgress timed(plan);
  timed.begin(at_us(0));
  EXPECT_EQ(timed.next_end().ns(), 40'000'000) << "the series before the batch";
  BatchProgress counted(plan_of(10, 0, 500, 0));
  counted.begin(at_us(0));
  EXPECT_EQ(counted.next_end().ns(), 100'000'000);
}

TEST(BatchProgress, AResumeGroupTakesAFifthOfTheLongestBatchAtMost) {
  BatchProgress progress(plan_of(100, 0, 500, 16));
  progress.begin(at_us(0));
  EXPECT_EQ(progress.next(at_us(0)), MessageClass::resume);
  EXPECT_EQ(progress.next(Instant::from_ns(19'999'999)), MessageClass::resume);
  EXPECT_EQ(progress.next(Instant::from_ns(20'000'000)), MessageClass::recorded);
  EXPECT_EQ(progress.next(Instant::from_ns(20'000'001)), MessageClass::recorded) << "resumed once, not again";
  EXPECT_FALSE(progress.batch_is_over(Instant::from_ns(99'999'999)));
  EXPECT_TRUE(progress.batch_is_over(Instant::from_ns(100'000'000)));
}

TEST(BatchProgress, IsNotOverBeforeSomethingWasRecorded) {
  BatchProgress progress(plan_of(100, 0, 500, 16));
  progress.begin(at_us(0));
  EXPECT_EQ(progress.next(at_us(0)), MessageClass::resume);
  EXPECT_FALSE(progress.batch_is_over(at_us(500'000)));
  EXPECT_EQ(progress.next(at_us(500'000)), MessageClass::recorded);
  EXPECT_TRUE(progress.batch_is_over(at_us(500'000)));
}

// 100 messages a second, or a round trip of 10 ms: ten messages fit into the 100 ms of a batch, and all ten resume.
TEST(BatchProgress, RecordsInEveryBatchHoweverSlowTheMessagesAre) {
  BatchProgress progress(plan_of(100, 0, 500, 16));
  Instant now = at_us(1);
  std::uint64_t recorded = 0;
  for (int batch = 0; batch < 100 && !progress.series_is_over(now); ++batch) {
    progress.begin(now);
    while (!progress.batch_is_over(now)) {
      recorded += progress.next(now) == MessageClass::recorded ? 1U : 0U;
      now += Duration::from_ms(10);
    }
  }
  EXPECT_TRUE(progress.series_is_over(now)) << "a series that never ends";
  EXPECT_EQ(recorded, 100U);
}

// `run_for` replaces `count`, which is of recorded messages: a long warm-up must not eat it.
TEST(BatchProgress, RunsForATimeAfterTheWarmup) {
  ClientPlan plan = plan_of(0, 1'000, 500, 0);
  plan.run_for = Duration::from_ms(5);
  EXPECT_EQ(run(plan).recorded, 500U);
}

TEST(BatchProgress, AStretchIsWhatIsLeftOfABatchAfterItsFirstRecordedMessage) {
  BatchProgress progress(plan_of(100, 0, 5, 2));
  EXPECT_FALSE(progress.is_in_stretch(at_us(0)));
  progress.begin(at_us(0));
  EXPECT_EQ(progress.next(at_us(0)), MessageClass::resume);
  EXPECT_EQ(progress.next(at_us(1)), MessageClass::resume);
  EXPECT_FALSE(progress.is_in_stretch(at_us(1)));
  EXPECT_EQ(progress.next(at_us(2)), MessageClass::recorded);
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(progress.is_in_stretch(at_us(3)));
    EXPECT_FALSE(progress.batch_is_over(at_us(3)));
    progress.next_of_stretch();
  }
  EXPECT_FALSE(progress.is_in_stretch(at_us(3)));
  EXPECT_TRUE(progress.batch_is_over(at_us(3)));
  EXPECT_FALSE(progress.series_is_over(at_us(3))) << "95 are left";
  progress.begin(at_us(10));
  EXPECT_FALSE(progress.is_in_stretch(at_us(10))) << "resumes first";
}

TEST(BatchProgress, AStretchEndsWithTheTimeOfTheBatchOrOfTheSeries) {
  BatchProgress progress(plan_of(1'000, 0, 500, 0));
  progress.begin(at_us(0));
  (void)progress.next(at_us(0));
  EXPECT_TRUE(progress.is_in_stretch(Instant::from_ns(99'999'999)));
  EXPECT_FALSE(progress.is_in_stretch(Instant::from_ns(100'000'000)));
  ClientPlan plan = plan_of(0, 0, 0, 0);
  plan.run_for = Duration::from_us(40);
  BatchProgress timed(plan);
  timed.begin(at_us(0));
  (void)timed.next(at_us(0));
  EXPECT_TRUE(timed.is_in_stretch(Instant::from_ns(39'999)));
  EXPECT_FALSE(timed.is_in_stretch(at_us(40)));
}

TEST(BatchProgress, CountsAMessageBehindAStretchThatTimeHasEnded) {
  BatchProgress progress(plan_of(4, 0, 500, 0));
  progress.begin(at_us(0));
  EXPECT_EQ(progress.next(at_us(0)), MessageClass::recorded);
  EXPECT_EQ(progress.next(at_us(200'000)), MessageClass::recorded) << "within a burst";
  progress.begin(at_us(200'000));
  EXPECT_EQ(progress.next(at_us(200'000)), MessageClass::recorded);
  EXPECT_FALSE(progress.series_is_over(at_us(200'000)));
  progress.next_of_stretch();
  EXPECT_TRUE(progress.series_is_over(at_us(200'000))) << "four";
}

}  // namespace
}  // namespace rtecho

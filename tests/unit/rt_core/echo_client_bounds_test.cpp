// Where phases of the client meet: warm-up and schedule, batches and bursts, skipped slots and the end of the series.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "client_rig.hpp"

namespace rtecho {
namespace {

using test::bare_plan;
using test::ClientRig;
using test::paced_plan;

// One message each 60 ms, answered at once: at 120 ms the batch is over by its time, with nothing outstanding. A
// sleeping loop is told to sleep until next_due() unless something arrives, and nothing will.
TEST(EchoClientBounds, IsDueAtOnceWhenABatchClosesWithNothingOutstanding) {
  ClientPlan plan = paced_plan(10, 60'000'000);
  plan.batch.messages = 500;
  plan.batch.resume = 0;
  ClientRig rig(plan);
  rig.begin();
  rig.answer(0);
  rig.step_after(1'000);
  rig.step_at(1'060'000'000);
  rig.answer(1);
  rig.step_after(1'000);
  rig.step_at(1'120'000'000);
  ASSERT_EQ(rig.port.sent.size(), 2U);
  EXPECT_LE(rig.client->next_due().ns(), 1'120'000'000);
}

TEST(EchoClientBounds, IsDueAtOnceWhenThereIsNothingToDrain) {
  ClientPlan plan = paced_plan(0, 60'000'000);
  plan.run_for = Duration::from_ms(50);
  ClientRig rig(plan);
  rig.begin();
  rig.answer(0);
  rig.step_after(1'000);
  rig.step_at(1'051'000'000);  // the time is over: closing
  rig.step_at(1'052'000'000);  // the batch ends, the drain begins: nothing is overdue
  ASSERT_FALSE(rig.client->done());
  EXPECT_LE(rig.client->next_due().ns(), 1'052'000'000) << "or the elapsed time grows by a timeout";
}

TEST(EchoClientBounds, IsDueWhenTheTimeOfTheSeriesIsOver) {
  ClientPlan plan = paced_plan(0, 60'000'000'000);
  plan.run_for = Duration::from_s(1);
  ClientRig rig(plan);
  rig.begin();
  rig.answer(0);
  rig.step_after(10);
  EXPECT_LE(rig.client->next_due().ns(), 2'000'000'000) << "not after a whole slot of a minute";
}

TEST(EchoClientBounds, CountsNothingThatArrivesAfterTheEnd) {
  ClientPlan plan = bare_plan(100);
  plan.pacing.window = 2;
  ClientRig rig(plan, true);
  rig.begin();
  test::Message altered = test::reply_to(rig.port.sent[0]);
  altered[0] ^= std::byte{1};
  rig.port.arrive(altered);
  rig.answer(1);
  rig.step_after(10);  // both in one look
  ASSERT_EQ(rig.record().end, SeriesEnd::desynchronised);
  EXPECT_TRUE(rig.accounting().holds());
  EXPECT_EQ(rig.port.returned, 2U);
}

TEST(EchoClientBounds, CountsNothingAfterAnInterrupt) {
  ClientRig rig(bare_plan(100));
  rig.begin();
  rig.client->interrupt();
  rig.answer(0);
  rig.step_after(10);
  EXPECT_TRUE(rig.accounting().holds());
  EXPECT_EQ(rig.accounting().frames, 0U);
}

// Without rests the schedule begins when the warm-up is over: not at the origin of the clock.
TEST(EchoClientBounds, AScheduleAfterAWarmupOfOneBeginsNow) {
  ClientPlan plan = paced_plan(3, 1'000'000);
  plan.warmup = 1;
  ClientRig rig(plan);
  rig.run();
  EXPECT_TRUE(rig.client->done());
  EXPECT_EQ(rig.accounting().sent, 4U);
  EXPECT_LT(rig.record().response.max().value().ns(), 1'000'000);
  EXPECT_LT(rig.record().slip.max().value().ns(), 20'000);
}

TEST(EchoClientBounds, AScheduleAfterAWarmupDoesNotBeginBeforeItsEnd) {
  ClientPlan plan = paced_plan(3, 1'000'000);
  plan.warmup = 2;
  ClientRig rig(plan);
  rig.begin();                 // warm-up message 0 at 1.000 000 000
  rig.step_at(1'100'000'000);  // it is lost; warm-up message 1 is sent
  rig.run();
  EXPECT_LT(rig.record().slip.max().value().ns(), 1'000'000) << "the lost warm-up message is not in the schedule";
}

// 10 warm-up messages and bursts of 4: the third burst crosses the end of the warm-up.
TEST(EchoClientBounds, ABurstAcrossTheEndOfTheWarmupRecordsNoSlipFromTheOrigin) {
  ClientPlan plan = paced_plan(40, 1'000'000);
  plan.warmup = 10;
  plan.batch.messages = 20;
  plan.batch.resume = 0;
  plan.pacing.burst = 4;
  ClientRig rig(plan);
  rig.run();
  ASSERT_TRUE(rig.client->done());
  EXPECT_LT(rig.record().slip.max().value().ns(), 1'000'000);
  EXPECT_EQ(rig.record().slip.n(), rig.record().response.n());
}

TEST(EchoClientBounds, RecordsExactlyTheCountWhateverTheBurst) {
  ClientPlan plan = paced_plan(10, 1'000'000);
  plan.pacing.burst = 4;
  ClientRig rig(plan);
  rig.run();
  EXPECT_EQ(rig.record().service.n(), 10U) << "--count is the number of recorded messages";
}

TEST(EchoClientBounds, SkippingEndsWithTheSeries) {
  ClientPlan plan = paced_plan(10, 1'000);
  plan.pacing.missed = MissedPolicy::skip;
  ClientRig rig(plan);
  rig.begin();
  rig.step_after(1'000'000);  // 999 slots are over
  rig.run();
  EXPECT_EQ(rig.accounting().attempted, 10U);
}

TEST(EchoClientBounds, ALongStallSendsNoSlotThatHasPassedWholly) {
  ClientPlan plan = paced_plan(100'000, 1'000);
  plan.pacing.missed = MissedPolicy::skip;
  ClientRig rig(plan);
  rig.begin();
  rig.step_after(5'000'500);  // 4,999 slots are over: more than one step skips
  for (int i = 0; i < 200; ++i) {
    rig.client->step();
  }
  EXPECT_EQ(rig.accounting().skipped, 4'999U);
  EXPECT_LT(rig.record().slip.max().value().ns(), 1'000);
}

// docs/measurement.md: "or 3 s without a valid reply". One message at a time, each with a second to be answered in:
// the silence is longer than any one of them.
TEST(EchoClientBounds, ThreeSecondsWithoutAReplyLoseThePeerAcrossTimeouts) {
  ClientPlan plan = bare_plan(100);
  plan.timeout = Duration::from_s(1);
  ClientRig rig(plan);
  rig.begin();
  for (std::int64_t second = 2; second <= 5; ++second) {
    rig.step_at(second * 1'000'000'000);
  }
  EXPECT_EQ(rig.record().end, SeriesEnd::peer_lost) << "after 4 s, not after ten timeouts";
}

// A burst crosses the end of a warm-up that has batches of its own: its rest is no recorded message, because no
// window of the counters is open for it.
TEST(EchoClientBounds, RecordsNothingInABatchOfTheWarmup) {
  ClientPlan plan = bare_plan(40);
  plan.warmup = 10;
  plan.batch.messages = 20;
  plan.batch.resume = 0;
  plan.pacing.burst = plan.pacing.window = 4;
  ClientRig rig(plan);
  rig.begin();
  while (rig.record().rests == 0) {
    rig.run(1);
    for (std::size_t i = 0; i < rig.port.sent.size(); ++i) {
      rig.answer(i);  // again and again: the first answer counts
    }
  }
  EXPECT_EQ(rig.record().service.n(), 0U);
}

// Turnaround is receive i-1 to send i. Where message i-1 had no answer there is no such time.
TEST(EchoClientBounds, ATimeoutIsNoTurnaround) {
  ClientRig rig(bare_plan(3));
  rig.begin();
  rig.answer(0);
  rig.step_after(10);           // message 1 goes out, and is lost
  rig.step_after(100'000'000);  // message 2 goes out
  EXPECT_EQ(rig.record().turnaround.n(), 1U);
  EXPECT_EQ(rig.record().turnaround.max().value().ns(), 0);
}

// A late reply that comes in a rest or in the drain is a sample like any other: some batch must show it.
TEST(EchoClientBounds, TheBatchesHaveEverySample) {
  ClientPlan plan = bare_plan(4);
  plan.batch.messages = 2;
  plan.batch.resume = 0;
  ClientRig rig(plan);
  rig.begin();
  rig.answer(0);
  rig.step_after(10);           // message 1 goes out
  rig.step_after(100'000'000);  // it is overdue; the batch closes
  rig.step_after(10);           // and ends: rest
  rig.answer(1);
  rig.step_after(10);  // the late reply, in the rest
  rig.run();
  ASSERT_TRUE(rig.client->done());
  ASSERT_EQ(rig.record().service.n(), 4U);
  std::uint64_t n = 0;
  Duration max;
  for (const BatchRecord& batch : rig.record().batches.records()) {
    n += batch.n;
    max = longer(max, batch.max);
  }
  EXPECT_EQ(n, 4U);
  EXPECT_EQ(max, rig.record().service.max());
}

// One byte, one message lost. 30 s later an altered tag is taken for its answer: after the next loss the client must
// not wait for a minute.
// Most messages are only counted: what is no extreme of its batch and none of the slowest must be so exactly.
TEST(EchoClientBounds, KeepsTheExtremesOfEveryBatchAndTheSlowestOfAll) {
  ClientPlan plan = bare_plan(2'000);
  plan.batch.messages = 100;
  plan.batch.resume = 0;
  ClientRig rig(plan);
  std::mt19937_64 random(5);
  std::vector<BatchRecord> expected(20);
  std::vector<std::int64_t> lengths;
  for (std::size_t answered = 0; !rig.client->done();) {
    if (answered == rig.port.sent.size()) {
      rig.step_after(1'000'000);
      continue;
    }
    const auto length = static_cast<std::int64_t>(1'000 + random() % 5'000);
    expected[answered / 100].add(Duration::from_ns(length));
    lengths.push_back(length);
    rig.answer(answered++);
    rig.step_after(length);
  }
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  ASSERT_EQ(rig.record().batches.records().size(), 20U);
  for (std::size_t i = 0; i < 20; ++i) {
    const BatchRecord& batch = rig.record().batches.records()[i];
    EXPECT_EQ(batch.n, 100U);
    EXPECT_EQ(batch.min, expected[i].min) << "batch " << i;
    EXPECT_EQ(batch.max, expected[i].max) << "batch " << i;
  }
  std::vector<std::int64_t> slowest;
  for (const SlowMessage& message : rig.record().slowest.entries()) {
    slowest.push_back(message.length.ns());
  }
  std::sort(slowest.begin(), slowest.end(), std::greater<>());
  lengths.resize(slowest.size());
  EXPECT_EQ(slowest.size(), 16U);
  EXPECT_EQ(slowest, lengths);
  EXPECT_EQ(rig.record().service.n(), 2'000U);
}

TEST(EchoClientBounds, AnAlteredTagDoesNotStretchTheDrain) {
  ClientRig rig(paced_plan(1'000, 1'000'000'000, 1));
  rig.begin();
  rig.step_at(1'100'000'000);  // message 0 is lost
  for (std::int64_t second = 2; second <= 31; ++second) {
    rig.step_at(second * 1'000'000'000);
    rig.answer(rig.port.sent.size() - 1);
    rig.step_after(1'000);
  }
  ASSERT_EQ(rig.port.sent.size(), 31U);
  rig.port.arrive(test::Message{std::byte{0x80}});
  rig.step_after(1'000);
  rig.step_at(32'000'000'000);
  ASSERT_EQ(rig.port.sent.size(), 32U);
  rig.step_at(32'100'000'000);  // message 31 is lost
  EXPECT_LE(rig.client->next_due().ns(), 33'000'000'000) << "the next slot, not a minute later";
}

}  // namespace
}  // namespace rtecho

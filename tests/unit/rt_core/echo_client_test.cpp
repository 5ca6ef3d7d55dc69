#include "rt_core/echo_client.hpp"

#include <gtest/gtest.h>

#include "client_rig.hpp"

namespace rtecho {
namespace {

using test::bare_plan;
using test::ClientRig;
using test::paced_plan;

TEST(EchoClient, TellsTheCallerBeforeTheFirstMessage) {
  ClientRig rig(bare_plan(1));
  const ClientStep first = rig.client->step();
  EXPECT_EQ(first.edge, BatchEdge::began);
  EXPECT_TRUE(first.worked);
  EXPECT_EQ(rig.port.send_calls, 0U) << "the counters of the machine are sampled before";
  EXPECT_LE(rig.client->next_due(), rig.port.clock);
  EXPECT_TRUE(rig.client->step().worked);
  EXPECT_EQ(rig.port.send_calls, 1U);
}

TEST(EchoClient, MeasuresFromTheSendStampToTheLookThatBroughtTheReply) {
  ClientRig rig(bare_plan(1));
  rig.begin();
  rig.answer(0);
  rig.step_after(12'345);
  const SeriesRecord& record = rig.record();
  EXPECT_EQ(record.service.n(), 1U);
  EXPECT_EQ(record.service.min().value().ns(), 12'345);
  EXPECT_EQ(record.residence.max().value().ns(), 1'000);
  EXPECT_EQ(record.response.n() + record.slip.n() + record.turnaround.n(), 0U) << "no schedule, and no reply before";
  ASSERT_EQ(record.slowest.entries().size(), 1U);
  EXPECT_EQ(record.slowest.entries()[0].send.ns(), 1'000'000'000);
  EXPECT_EQ(record.slowest.entries()[0].receive.ns(), 1'000'012'345);
  EXPECT_EQ(record.slowest.entries()[0].server_receive.ns(), 5'000);
}

TEST(EchoClient, PingPongHasOneMessageOutstanding) {
  ClientRig rig(bare_plan(3));
  rig.begin();
  rig.step_after(10);
  rig.step_after(10);
  EXPECT_EQ(rig.port.sent.size(), 1U);
  rig.answer(0);
  rig.step_after(10);
  EXPECT_EQ(rig.port.sent.size(), 2U) << "in the step that brought the answer";
  EXPECT_EQ(rig.record().turnaround.n(), 1U);
}

TEST(EchoClient, EndsWhenTheLastAnswerIsThere) {
  ClientRig rig(bare_plan(3));
  rig.run();
  EXPECT_TRUE(rig.client->done());
  EXPECT_EQ(rig.record().end, SeriesEnd::complete);
  EXPECT_EQ(rig.accounting(), (ClientAccounting{.attempted = 3, .sent = 3, .answered = 3, .frames = 3}));
  EXPECT_EQ(rig.record().batches.batches(), 1U);
}

TEST(EchoClient, WithAWindowSendsUpToIt) {
  ClientPlan plan = bare_plan(100);
  plan.pacing.window = 5;
  ClientRig rig(plan);
  rig.begin();
  EXPECT_EQ(rig.port.sent.size(), 5U);
  rig.answer(2);
  rig.step_after(10);
  EXPECT_EQ(rig.port.sent.size(), 6U);
}

TEST(EchoClient, SendsAtMostSixteenMessagesPerStep) {
  ClientPlan plan = bare_plan(100);
  plan.pacing.window = 40;
  ClientRig rig(plan);
  rig.begin();
  EXPECT_EQ(rig.port.sent.size(), 16U);
  rig.client->step();
  rig.client->step();
  EXPECT_EQ(rig.port.sent.size(), 40U);
}

TEST(EchoClient, KeepsTheScheduleHoweverLateItLooks) {
  ClientRig rig(paced_plan(4, 1'000));
  rig.begin();
  rig.step_at(1'000'002'500);  // slots 1 and 2 are overdue
  EXPECT_EQ(rig.port.sent.size(), 3U);
  EXPECT_EQ(rig.record().slip.max().value().ns(), 1'500);
  EXPECT_EQ(rig.record().slip.min().value().ns(), 0);
  EXPECT_EQ(rig.client->next_due().ns(), 1'000'003'000);
}

TEST(EchoClient, SkipsSlotsThatHavePassedWholly) {
  ClientPlan plan = paced_plan(100, 1'000);
  plan.pacing.missed = MissedPolicy::skip;
  ClientRig rig(plan);
  rig.begin();
  rig.step_at(1'000'003'500);  // slots 1 and 2 are over, slot 3 lasts
  EXPECT_EQ(rig.accounting().skipped, 2U);
  EXPECT_EQ(rig.port.sent.size(), 2U);
  EXPECT_EQ(rig.record().slip.max().value().ns(), 500);
  EXPECT_EQ(rig.client->next_due().ns(), 1'000'004'000);
}

TEST(EchoClient, TakesAReplyAtTheTimeoutForLate) {
  ClientRig rig(bare_plan(5));
  rig.begin();
  rig.answer(0);
  rig.step_after(100'000'000);
  EXPECT_EQ(rig.accounting().late, 1U);
  EXPECT_EQ(rig.record().service.max().value().ns(), 100'000'000) << "late keeps its latency";
  rig.answer(1);
  rig.step_after(99'999'999);
  EXPECT_EQ(rig.accounting().answered, 1U);
}

TEST(EchoClient, GoesOnAfterATimeoutAndTakesTheLateReplyLater) {
  ClientRig rig(bare_plan(5));
  rig.begin();
  EXPECT_EQ(rig.client->next_due().ns(), 1'100'000'000);
  rig.step_at(1'100'000'000);
  EXPECT_EQ(rig.port.sent.size(), 2U);
  rig.answer(0);
  rig.answer(1);
  rig.step_after(50);
  EXPECT_EQ(rig.accounting().late, 1U);
  EXPECT_EQ(rig.accounting().answered, 1U);
  EXPECT_EQ(rig.record().service.max().value().ns(), 100'000'050);
}

TEST(EchoClient, AOneByteSeriesWaitsOutTheDrainAfterATimeout) {
  ClientRig rig(bare_plan(5, 1));
  rig.begin();
  rig.step_at(1'100'000'000);
  EXPECT_EQ(rig.port.sent.size(), 1U);
  EXPECT_EQ(rig.record().drain_waits, 1U);
  rig.step_at(1'199'999'999);
  EXPECT_EQ(rig.port.sent.size(), 1U);
  rig.step_at(1'200'000'000);
  EXPECT_EQ(rig.port.sent.size(), 2U);
}

TEST(EchoClient, TheDrainIsTwiceTheLongestRoundTripWhereThatIsLonger) {
  ClientRig rig(bare_plan(5, 1));
  rig.begin();
  rig.answer(0);
  rig.step_at(1'090'000'000);  // 90 ms: in time
  rig.step_at(1'190'000'000);
  EXPECT_EQ(rig.record().drain_waits, 1U);
  EXPECT_EQ(rig.client->next_due().ns(), 1'370'000'000) << "180 ms after the timeout";
}

TEST(EchoClient, LosesThePeerAfterTenTimeoutsInARow) {
  ClientRig rig(bare_plan(100));
  rig.begin();
  for (std::int64_t i = 1; i <= 9; ++i) {
    rig.step_at(1'000'000'000 + i * 100'000'000);
  }
  EXPECT_FALSE(rig.client->done());
  rig.step_at(2'000'000'000);
  EXPECT_TRUE(rig.client->done());
  EXPECT_EQ(rig.record().end, SeriesEnd::peer_lost);
  EXPECT_EQ(rig.accounting(), (ClientAccounting{.attempted = 10, .sent = 10, .lost = 10}));
  EXPECT_EQ(rig.record().elapsed.ns(), 1'000'000'000);
}

TEST(EchoClient, AnInterruptLeavesWhatIsInFlightUnresolved) {
  ClientPlan plan = bare_plan(100);
  plan.pacing.window = 4;
  ClientRig rig(plan);
  rig.begin();
  rig.answer(1);
  rig.step_after(10);
  rig.client->interrupt();
  EXPECT_TRUE(rig.client->done());
  EXPECT_EQ(rig.record().end, SeriesEnd::interrupted);
  EXPECT_EQ(rig.accounting(),
            (ClientAccounting{.attempted = 5, .sent = 5, .answered = 1, .unresolved = 4, .frames = 1}));
  EXPECT_EQ(rig.record().batches.batches(), 1U);
  rig.client->abandon();
  EXPECT_EQ(rig.record().end, SeriesEnd::interrupted) << "the first end counts";
}

TEST(EchoClient, AnInterruptBeforeTheFirstStepLeavesNothing) {
  ClientRig rig(bare_plan(100));
  rig.client->interrupt();
  EXPECT_TRUE(rig.client->done());
  EXPECT_EQ(rig.accounting(), ClientAccounting{});
  EXPECT_EQ(rig.record().elapsed, Duration{});
  EXPECT_EQ(rig.record().batches.batches(), 0U);
}

TEST(EchoClient, CountsEveryWrongFrameByItsCause) {
  ClientRig rig(bare_plan(100));
  rig.begin();
  const test::Message good = test::reply_to(rig.port.sent[0]);
  test::Message altered = good;
  altered[20] ^= std::byte{1};
  test::Message foreign = good;
  foreign[0] ^= std::byte{1};
  rig.port.arrive(test::Message(63));
  rig.port.arrive(good, true);        // truncated
  rig.port.arrive(altered);           // its check does not fit
  rig.port.arrive(foreign);           // no magic of ours
  rig.port.arrive(rig.port.sent[0]);  // our own request
  rig.port.arrive(good);
  rig.port.arrive(good);
  rig.step_after(10);
  EXPECT_EQ(rig.accounting(), (ClientAccounting{.attempted = 2,
                                                .sent = 2,
                                                .answered = 1,
                                                .frames = 7,
                                                .duplicate = 1,
                                                .corrupt = 1,
                                                .malformed = 2,
                                                .stray = 2}));
  EXPECT_EQ(rig.port.returned, 7U) << "every frame goes back to the port";
}

TEST(EchoClient, AnAlteredHeaderOnAStreamEndsTheSeries) {
  ClientRig rig(bare_plan(100), true);
  rig.begin();
  test::Message altered = test::reply_to(rig.port.sent[0]);
  altered[20] ^= std::byte{1};
  rig.port.arrive(altered);
  rig.step_after(10);
  EXPECT_EQ(rig.record().end, SeriesEnd::desynchronised);
  EXPECT_TRUE(rig.accounting().holds());
}

TEST(EchoClient, AnAlteredFillOnAStreamIsOneCorruptMessage) {
  ClientRig rig(bare_plan(100, 80), true);
  rig.begin();
  test::Message altered = test::reply_to(rig.port.sent[0]);
  altered[79] ^= std::byte{1};
  rig.port.arrive(altered);
  rig.step_after(10);
  EXPECT_FALSE(rig.client->done());
  EXPECT_EQ(rig.accounting().corrupt, 1U);
}

TEST(EchoClient, LogsEverySampleOnlyWhereThatIsAskedFor) {
  for (const bool wanted : {false, true}) {
    ClientPlan plan = bare_plan(40);
    plan.log_samples = wanted;
    ClientRig rig(plan);
    std::uint64_t samples = 0;
    std::uint64_t outliers = 0;
    for (std::size_t answered = 0, steps = 0; steps < 100; ++steps) {
      for (; answered < rig.port.sent.size(); ++answered) {
        rig.answer(answered);
      }
      rig.step_after(10'000);
      for (const Event& event : rig.client->events().pending()) {
        samples += event.kind == EventKind::sample ? 1U : 0U;
        outliers += event.kind == EventKind::outlier ? 1U : 0U;
      }
      rig.client->events().clear();
    }
    EXPECT_TRUE(rig.client->done());
    EXPECT_EQ(outliers, 16U) << "all alike: only the first 16 enter the list";
    EXPECT_EQ(samples, wanted ? 40U : 0U);
  }
}

TEST(EchoClient, IsOfOneSizeThatFitsAFixedMapping) {
  static_assert(sizeof(EchoClient<test::ScriptedPort>) < 4U * 1'024 * 1'024);
  EXPECT_EQ(sizeof(EchoClient<test::ScriptedPort>) % 64, 0U) << "its events are cache lines";
}

}  // namespace
}  // namespace rtecho

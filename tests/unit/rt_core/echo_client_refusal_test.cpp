// What the client does with messages that its driver refuses, and the schedule while it does.
#include <gtest/gtest.h>

#include "client_rig.hpp"
#include "rt_core/echo_server.hpp"

namespace rtecho {
namespace {

using test::bare_plan;
using test::ClientRig;
using test::paced_plan;
using test::ScriptedPort;

TEST(EchoClientRefusal, KeepsTheFirstAttemptsStamp) {
  ClientRig rig(bare_plan(2));
  rig.port.outcomes = {SendOutcome::would_block, SendOutcome::would_block, SendOutcome::sent};
  rig.begin();
  EXPECT_EQ(rig.port.sent.size(), 0U);
  rig.step_after(3'000);
  rig.step_after(4'000);
  ASSERT_EQ(rig.port.sent.size(), 1U);
  EXPECT_EQ(FullMessage::client_send(rig.port.sent[0]).ns(), 1'000'000'000);
  rig.answer(0);
  rig.step_after(5'000);
  EXPECT_EQ(rig.record().service.min().value().ns(), 12'000) << "the wait for the driver is part of it";
  EXPECT_EQ(rig.accounting().refused, 0U);
}

TEST(EchoClientRefusal, KeepsTheIntendedInstantOfARetriedMessage) {
  ClientRig rig(paced_plan(2, 10'000));
  rig.port.outcomes = {SendOutcome::would_block};
  rig.begin();
  rig.step_after(6'000);
  ASSERT_EQ(rig.port.sent.size(), 1U);
  rig.answer(0);
  rig.step_after(3'000);
  EXPECT_EQ(rig.record().response.max().value().ns(), 9'000);
  EXPECT_EQ(rig.record().slip.max().value().ns(), 0) << "the first attempt was in time";
}

TEST(EchoClientRefusal, GivesUpAtTheEndOfTheSlot) {
  ClientRig rig(paced_plan(100, 10'000));
  rig.port.default_outcome = SendOutcome::would_block;
  rig.begin();
  rig.step_at(1'000'009'999);
  EXPECT_EQ(rig.accounting().refused, 0U);
  rig.step_at(1'000'010'000);
  EXPECT_EQ(rig.accounting().refused, 1U);
  EXPECT_EQ(rig.port.send_calls, 3U);
  rig.step_at(1'000'010'001);
  EXPECT_EQ(rig.accounting().attempted, 2U) << "the next slot has its own attempt";
  EXPECT_EQ(rig.port.sent.size(), 0U);
}

TEST(EchoClientRefusal, GivesUpAtTheTimeoutWhereThereIsNoSchedule) {
  ClientRig rig(bare_plan(100));
  rig.port.default_outcome = SendOutcome::would_block;
  rig.begin();
  rig.step_at(1'099'999'999);
  EXPECT_EQ(rig.accounting().refused, 0U);
  rig.step_at(1'100'000'000);
  EXPECT_EQ(rig.accounting().refused, 1U);
}

TEST(EchoClientRefusal, DoesNotRetryWhatIsPointless) {
  ClientRig rig(bare_plan(20));
  rig.port.default_outcome = SendOutcome::failed;
  rig.begin();
  EXPECT_EQ(rig.accounting().refused, 16U) << "one step's worth";
  rig.run();
  EXPECT_EQ(rig.record().end, SeriesEnd::complete);
  EXPECT_EQ(rig.accounting(), (ClientAccounting{.attempted = 20, .refused = 20}));
  EXPECT_FALSE(rig.record().service.max().has_value());
}

TEST(EchoClientRefusal, CountsAMessageWithoutAFrameAsRefused) {
  ClientRig rig(bare_plan(20));
  rig.port.frames_left = false;
  rig.run();
  EXPECT_EQ(rig.accounting(), (ClientAccounting{.attempted = 20, .refused = 20}));
  EXPECT_EQ(rig.port.send_calls, 0U);
}

TEST(EchoClientRefusal, CountsAKeptFrameAsRefusedWhenInterrupted) {
  ClientRig rig(bare_plan(20));
  rig.port.default_outcome = SendOutcome::would_block;
  rig.begin();
  rig.client->interrupt();
  EXPECT_EQ(rig.accounting(), (ClientAccounting{.attempted = 1, .refused = 1}));
}

TEST(EchoClientRefusal, GoesOnWhenTheDriverDoes) {
  ClientRig rig(bare_plan(5));
  rig.port.outcomes = {SendOutcome::sent, SendOutcome::failed, SendOutcome::failed};
  rig.run();
  EXPECT_EQ(rig.accounting(), (ClientAccounting{.attempted = 5, .sent = 3, .refused = 2, .answered = 3, .frames = 3}));
}

// 7 bits tell 64 numbers ahead from 64 behind. If refused messages use numbers up, the server takes what follows for
// repetitions, and the number of distinct requests is wrong.
TEST(EchoClientRefusal, ALongRefusalLeavesTheServersCountOfTagsRight) {
  ClientRig rig(bare_plan(360, 1));
  rig.port.outcomes.assign(100, SendOutcome::failed);
  rig.port.outcomes.insert(rig.port.outcomes.begin(), 200, SendOutcome::sent);
  rig.run();
  ASSERT_EQ(rig.accounting().sent, 260U);
  ScriptedPort server_port;
  EchoServer<ScriptedPort> server(server_port, test::server_plan({.message_bytes = 1}));
  for (const test::Message& message : rig.port.sent) {
    server_port.arrive(message);
    server.step();
  }
  EXPECT_EQ(server.accounting().requests, 260U);
  EXPECT_EQ(server.accounting().repeated, 0U);
}

}  // namespace
}  // namespace rtecho

#include "rt_core/frame_port.hpp"

#include <gtest/gtest.h>

#include "scripted_frame_port.hpp"
#include "scripted_port.hpp"

namespace rtecho {
namespace {

using test::ScriptedFramePort;

// A port that could throw, or that lacks a member, is none; and messages are no frames.
struct ThrowingClock : ScriptedFramePort {
  Instant now() { return {}; }
};
struct ReplyOfTheWholeArrival : ScriptedFramePort {
  SendOutcome reply(const FrameArrival&) noexcept { return SendOutcome::sent; }
};
struct NoWait : ScriptedFramePort {
  void wait(Instant) = delete;
};
static_assert(FramePort<ScriptedFramePort>);
static_assert(!FramePort<ThrowingClock>);
static_assert(!FramePort<ReplyOfTheWholeArrival>);
static_assert(!FramePort<NoWait>);
static_assert(!FramePort<test::ScriptedPort>);
static_assert(!MessagePort<ScriptedFramePort>);

TEST(FrameArrival, IsWholeUntaggedAndUnknownUnlessThePortSaysOtherwise) {
  const FrameArrival arrival;
  EXPECT_TRUE(arrival.bytes.empty());
  EXPECT_FALSE(arrival.truncated);
  EXPECT_FALSE(arrival.tag_was_stripped);
  EXPECT_EQ(arrival.checksum, ChecksumState::unknown);
}

TEST(FrameCapabilities, PromiseNothingByDefault) {
  const FrameCapabilities none;
  EXPECT_EQ(none.frame_bytes_max, 0U);
  EXPECT_EQ(none.receive_batch_max, 1U);
  EXPECT_EQ(none.headroom_bytes, 0U);
  EXPECT_FALSE(none.reply_copies);
}

}  // namespace
}  // namespace rtecho

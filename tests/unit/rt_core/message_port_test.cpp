#include "rt_core/message_port.hpp"

#include <gtest/gtest.h>

#include "scripted_port.hpp"

namespace rtecho {
namespace {

using test::ScriptedPort;

// A port that could throw, or that lacks a member, is none.
struct ThrowingClock : ScriptedPort {
  Instant now() { return {}; }
};
struct BareReply : ScriptedPort {
  void reply(const Arrival&) noexcept {}
};
struct NoWait : ScriptedPort {
  void wait(Instant) = delete;
};
static_assert(MessagePort<ScriptedPort>);
static_assert(!MessagePort<ThrowingClock>);
static_assert(!MessagePort<BareReply>);
static_assert(!MessagePort<NoWait>);
static_assert(!MessagePort<int>);

TEST(Arrival, IsWholeUnlessThePortSaysOtherwise) {
  EXPECT_FALSE(Arrival{}.truncated);
  EXPECT_TRUE(Arrival{}.bytes.empty());
}

TEST(PortCapabilities, PromiseNothingByDefault) {
  const PortCapabilities none;
  EXPECT_EQ(none.message_bytes_max, 0U);
  EXPECT_EQ(none.receive_batch_max, 1U);
  EXPECT_FALSE(none.reply_copies);
  EXPECT_FALSE(none.stream);
}

}  // namespace
}  // namespace rtecho

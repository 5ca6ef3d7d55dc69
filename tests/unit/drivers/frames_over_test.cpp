#include "drivers/frames_over.hpp"

#include <gtest/gtest.h>

#include <array>

#include "drivers/fake_clock.hpp"
#include "drivers/loopback_port.hpp"
#include "scripted_port.hpp"

namespace rtecho::drivers {
namespace {

using rtecho::test::Message;
using rtecho::test::ScriptedPort;
using Link = LoopbackLink<FakeClock, 32>;
static_assert(FramePort<FramesOver<Link::Port>>);
static_assert(FramePort<FramesOver<ScriptedPort>>);

class FramesOverTest : public testing::Test {
 protected:
  alignas(64) std::array<std::byte, Link::memory_bytes(1'518)> memory_{};
  FakeClock clock_{Instant::from_ns(1'000)};
  Link link_{clock_, memory_, 1'518};
  FramesOver<Link::Port> near_{link_.client()};
  FramesOver<Link::Port> far_{link_.server()};
  std::array<FrameArrival, 32> arrivals_;
};

TEST_F(FramesOverTest, HandsAFrameOverAndBack) {
  const std::span<std::byte> frame = near_.acquire(60);
  frame[59] = std::byte{7};
  ASSERT_EQ(near_.send(frame), SendOutcome::sent);
  ASSERT_EQ(far_.receive(arrivals_), 1U);
  ASSERT_EQ(arrivals_[0].bytes.size(), 60U);
  EXPECT_EQ(arrivals_[0].bytes[59], std::byte{7});
  EXPECT_FALSE(arrivals_[0].tag_was_stripped);
  EXPECT_EQ(arrivals_[0].checksum, ChecksumState::unknown);
  ASSERT_EQ(far_.reply(arrivals_[0], arrivals_[0].bytes.subspan(4, 50)), SendOutcome::sent);
  ASSERT_EQ(near_.receive(arrivals_), 1U);
  EXPECT_EQ(arrivals_[0].bytes.size(), 50U) << "a reply may be shorter than its request";
  near_.release(arrivals_[0]);
  EXPECT_EQ(link_.free_slots(), 32U);
}

TEST_F(FramesOverTest, HasRoomForATagOnTopOfTheLongestFrame) {
  EXPECT_EQ(near_.capabilities().frame_bytes_max, 1'514U);
  EXPECT_EQ(near_.acquire(1'518).size(), 1'518U);
  EXPECT_TRUE(near_.acquire(1'519).empty());
  EXPECT_EQ(near_.capabilities().headroom_bytes, 0U);
  EXPECT_EQ(near_.capabilities().receive_batch_max, 32U);
}

TEST_F(FramesOverTest, BringsNoMoreThanOneBatchPerLook) {
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(near_.send(near_.acquire(60)), SendOutcome::sent);
  }
  EXPECT_EQ(far_.receive({}), 0U);
  EXPECT_EQ(far_.receive(std::span(arrivals_).first(3)), 3U);
  EXPECT_EQ(far_.receive(arrivals_), 16U);
  EXPECT_EQ(far_.receive(arrivals_), 1U);
}

TEST_F(FramesOverTest, WaitsAsTheWireDoes) {
  near_.wait(Instant::from_ns(2'000));
  EXPECT_EQ(near_.now(), Instant::from_ns(2'000));
  EXPECT_EQ(near_.health(), PortHealth::open);
}

TEST(FramesOver, SaysThatAFrameWasCut) {
  ScriptedPort wire;
  FramesOver<ScriptedPort> frames(wire);
  wire.arrive(Message(60), true);
  wire.arrive(Message(61), false);
  std::array<FrameArrival, 4> arrivals;
  ASSERT_EQ(frames.receive(arrivals), 2U);
  EXPECT_TRUE(arrivals[0].truncated);
  EXPECT_FALSE(arrivals[1].truncated);
}

TEST(FramesOver, PassesFailuresOn) {
  ScriptedPort wire;
  wire.default_outcome = SendOutcome::would_block;
  wire.reply_outcome = SendOutcome::failed;
  FramesOver<ScriptedPort> frames(wire);
  EXPECT_EQ(frames.send(frames.acquire(60)), SendOutcome::would_block);
  wire.arrive(Message(60));
  std::array<FrameArrival, 1> arrivals;
  ASSERT_EQ(frames.receive(arrivals), 1U);
  EXPECT_EQ(frames.reply(arrivals[0], arrivals[0].bytes), SendOutcome::failed);
  wire.frames_left = false;
  EXPECT_TRUE(frames.acquire(60).empty());
}

}  // namespace
}  // namespace rtecho::drivers

#include "drivers/loopback_port.hpp"

#include <gtest/gtest.h>

#include <array>

#include "drivers/fake_clock.hpp"

namespace rtecho::drivers {
namespace {

using Link = LoopbackLink<FakeClock, 4>;
static_assert(MessagePort<Link::Port>);

class LoopbackPortTest : public testing::Test {
 protected:
  alignas(64) std::array<std::byte, Link::memory_bytes(100)> memory_{};
  FakeClock clock_{Instant::from_ns(1'000)};
  Link link_{clock_, memory_, 100};
  std::array<Arrival, 8> arrivals_;
};

TEST_F(LoopbackPortTest, HandsTheSameMemoryOverAndBack) {
  const std::span<std::byte> frame = link_.client().acquire(7);
  ASSERT_EQ(link_.client().send(frame), SendOutcome::sent);
  ASSERT_EQ(link_.server().receive(arrivals_), 1U);
  EXPECT_EQ(arrivals_[0].bytes.data(), frame.data());
  EXPECT_EQ(arrivals_[0].bytes.size(), 7U);
  ASSERT_EQ(link_.server().reply(arrivals_[0]), SendOutcome::sent);
  ASSERT_EQ(link_.client().receive(arrivals_), 1U);
  EXPECT_EQ(arrivals_[0].bytes.data(), frame.data());
  link_.client().release(arrivals_[0]);
  EXPECT_EQ(link_.free_slots(), 4U);
}

TEST_F(LoopbackPortTest, HasAsManyMessagesUnderWayAsSlots) {
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(link_.client().send(link_.client().acquire(1)), SendOutcome::sent);
  }
  EXPECT_TRUE(link_.client().acquire(1).empty());
  EXPECT_TRUE(link_.server().acquire(1).empty());
  ASSERT_EQ(link_.server().receive(arrivals_), 4U);
  link_.server().release(arrivals_[2]);
  EXPECT_EQ(link_.client().acquire(1).size(), 1U);
}

TEST_F(LoopbackPortTest, LendsTheSameFrameUntilItIsSent) {
  const std::span<std::byte> frame = link_.client().acquire(1);
  EXPECT_EQ(link_.client().acquire(100).data(), frame.data());
  EXPECT_EQ(link_.free_slots(), 3U);
}

TEST_F(LoopbackPortTest, RefusesAMessageLongerThanAgreed) {
  EXPECT_EQ(link_.client().acquire(100).size(), 100U);
  EXPECT_TRUE(link_.client().acquire(101).empty()) << "although the slot has 128 bytes";
}

TEST_F(LoopbackPortTest, CountsOnWhenItsQueueWraps) {
  for (std::uint8_t i = 0; i < 50; ++i) {
    const std::span<std::byte> frame = link_.client().acquire(1);
    frame[0] = std::byte{i};
    ASSERT_EQ(link_.client().send(frame), SendOutcome::sent);
    ASSERT_EQ(link_.server().receive(arrivals_), 1U);
    ASSERT_EQ(arrivals_[0].bytes[0], std::byte{i});
    link_.server().release(arrivals_[0]);
  }
}

TEST_F(LoopbackPortTest, MovesASimulatedClockOnlyWhereNothingHasArrived) {
  link_.server().wait(Instant::from_ns(2'000));
  EXPECT_EQ(clock_.now(), Instant::from_ns(2'000));
  ASSERT_EQ(link_.client().send(link_.client().acquire(1)), SendOutcome::sent);
  link_.server().wait(Instant::from_ns(3'000));
  EXPECT_EQ(clock_.now(), Instant::from_ns(2'000));
}

struct RealClock {
  static Instant now() noexcept { return Instant::from_ns(5); }
};

TEST(LoopbackPort, ReturnsFromAWaitAtOnceWhereTimeRunsByItself) {
  using RealLink = LoopbackLink<RealClock, 2>;
  alignas(64) std::array<std::byte, RealLink::memory_bytes(64)> memory{};
  RealClock clock;
  RealLink link(clock, memory, 64);
  link.client().wait(Instant::from_ns(1'000'000));
  EXPECT_EQ(link.client().now(), Instant::from_ns(5));
}

}  // namespace
}  // namespace rtecho::drivers

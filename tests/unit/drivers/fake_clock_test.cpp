#include "drivers/fake_clock.hpp"

#include <gtest/gtest.h>

namespace rtecho::drivers {
namespace {

TEST(FakeClock, StandsStillUntilItIsMoved) {
  FakeClock clock(Instant::from_ns(100));
  EXPECT_EQ(clock.now(), Instant::from_ns(100));
  clock.advance(Duration::from_ns(5));
  EXPECT_EQ(clock.now(), Instant::from_ns(105));
}

TEST(FakeClock, NeverRunsBackwards) {
  FakeClock clock(Instant::from_ns(100));
  clock.advance_to(Instant::from_ns(99));
  EXPECT_EQ(clock.now(), Instant::from_ns(100));
  clock.advance_to(Instant::from_ns(101));
  EXPECT_EQ(clock.now(), Instant::from_ns(101));
}

}  // namespace
}  // namespace rtecho::drivers

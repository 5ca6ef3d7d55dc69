#include "rt_core/idle_watch.hpp"

#include <gtest/gtest.h>

namespace rtecho {
namespace {

constexpr Instant at_us(std::int64_t us) {
  return Instant::from_ns(us * 1'000);
}

TEST(WaitPlan, IdleLimitIsTwoMillisecondsOrTwiceTheSpacing) {
  EXPECT_EQ(WaitPlan::idle_limit_for(Duration{}).ns(), 2'000'000);
  EXPECT_EQ(WaitPlan::idle_limit_for(Duration::from_us(1'000)).ns(), 2'000'000);
  EXPECT_EQ(WaitPlan::idle_limit_for(Duration::from_us(1'001)).ns(), 2'002'000);
}

TEST(WaitPlan, IdleLimitIsNeverAboveTwentyMilliseconds) {
  EXPECT_EQ(WaitPlan::idle_limit_for(Duration::from_us(9'999)).ns(), 19'998'000);
  EXPECT_EQ(WaitPlan::idle_limit_for(Duration::from_us(10'001)).ns(), 20'000'000);
  EXPECT_EQ(WaitPlan::idle_limit_for(Duration::from_s(3'600)).ns(), 20'000'000);
}

TEST(IdleWatch, SpinsUntilTheLimit) {
  IdleWatch idle({.mode = WaitMode::spin, .idle_limit = Duration::from_us(10)});
  EXPECT_FALSE(idle.should_wait(false, at_us(1'000'000))) << "the first step is where the time begins";
  EXPECT_FALSE(idle.should_wait(false, Instant::from_ns(1'000'009'999)));
  EXPECT_TRUE(idle.should_wait(false, Instant::from_ns(1'000'010'000)));
  EXPECT_EQ(idle.blocked_waits(), 1U);
}

TEST(IdleWatch, CountsALongPauseOnce) {
  IdleWatch idle({.mode = WaitMode::spin, .idle_limit = Duration::from_us(10)});
  EXPECT_FALSE(idle.should_wait(true, at_us(0)));
  for (int us = 10; us < 100; ++us) {
    EXPECT_TRUE(idle.should_wait(false, at_us(us)));
  }
  EXPECT_EQ(idle.blocked_waits(), 1U);
  EXPECT_FALSE(idle.should_wait(true, at_us(100)));
  EXPECT_FALSE(idle.should_wait(false, at_us(109))) << "work starts the time again";
  EXPECT_TRUE(idle.should_wait(false, at_us(110)));
  EXPECT_EQ(idle.blocked_waits(), 2U);
}

TEST(IdleWatch, BlocksAtOnceWhereThatIsThePlanAndCountsNothing) {
  IdleWatch idle({.mode = WaitMode::block, .idle_limit = Duration::from_us(10)});
  EXPECT_FALSE(idle.should_wait(true, at_us(0)));
  EXPECT_TRUE(idle.should_wait(false, at_us(0)));
  EXPECT_TRUE(idle.should_wait(false, at_us(50)));
  EXPECT_FALSE(idle.should_wait(true, at_us(51)));
  EXPECT_EQ(idle.blocked_waits(), 0U);
}

}  // namespace
}  // namespace rtecho

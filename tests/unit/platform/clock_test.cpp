#include "platform/clock.hpp"

#include <gtest/gtest.h>

#include <regex>

namespace rtecho::platform {
namespace {

TEST(MonotonicClock, NeverRunsBackwards) {
  Instant previous = MonotonicClock::now();
  for (int i = 0; i < 10'000; ++i) {
    const Instant now = MonotonicClock::now();
    ASSERT_LE(previous, now);
    previous = now;
  }
}

TEST(SleepUntil, ReturnsNotBeforeTheInstant) {
  const Instant until = MonotonicClock::now() + Duration::from_ms(2);
  sleep_until(until);
  EXPECT_GE(MonotonicClock::now(), until);
}

TEST(SleepUntil, ReturnsAtOnceWhenTheInstantHasPassed) {
  const Instant before = MonotonicClock::now();
  sleep_until(before - Duration::from_s(1));
  sleep_until(Instant::from_ns(-5));
  EXPECT_LT(MonotonicClock::now() - before, Duration::from_s(1));
}

TEST(UtcNow, HasTheFormOfRfc3339) {
  EXPECT_TRUE(std::regex_match(utc_now_rfc3339(), std::regex(R"(20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-6]\dZ)")));
}

}  // namespace
}  // namespace rtecho::platform

#include "rt_core/time.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

namespace rtecho {
namespace {

// No bare number is ever a time, and instants are not added up.
static_assert(!std::is_convertible_v<std::int64_t, Duration> && !std::is_convertible_v<std::int64_t, Instant>);
static_assert(!std::is_convertible_v<Duration, Instant> && !std::is_convertible_v<Instant, Duration>);
template <typename A, typename B>
concept Addable = requires(A a, B b) {
  a + b;
};
static_assert(Addable<Instant, Duration> && !Addable<Instant, Instant> && !Addable<Duration, std::int64_t>);

TEST(Duration, KnowsItsUnits) {
  EXPECT_EQ(Duration::from_us(7).ns(), 7'000);
  EXPECT_EQ(Duration::from_ms(7).ns(), 7'000'000);
  EXPECT_EQ(Duration::from_s(7).ns(), 7'000'000'000);
  EXPECT_EQ(Duration{}.ns(), 0);
}

TEST(Duration, CountsLikeANumber) {
  EXPECT_EQ((Duration::from_ns(5) - Duration::from_ns(8)).ns(), -3);
  EXPECT_EQ((Duration::from_ns(5) * -4).ns(), -20);
  Duration sum = Duration::from_ns(1);
  sum += Duration::from_ns(2);
  EXPECT_EQ(sum + Duration::from_ns(4), Duration::from_ns(7));
  EXPECT_LT(Duration::from_ns(-1), Duration{});
}

TEST(Duration, LongerOfTwo) {
  EXPECT_EQ(longer(Duration::from_ns(3), Duration::from_ns(2)), Duration::from_ns(3));
  EXPECT_EQ(longer(Duration::from_ns(-3), Duration::from_ns(-2)), Duration::from_ns(-2));
}

TEST(Duration, ShorterOfTwo) {
  EXPECT_EQ(shorter(Duration::from_ns(3), Duration::from_ns(2)), Duration::from_ns(2));
  EXPECT_EQ(shorter(Duration::from_ns(-3), Duration::from_ns(-2)), Duration::from_ns(-3));
}

TEST(Instant, MovesByDurations) {
  const Instant start = Instant::from_ns(100);
  EXPECT_EQ((start + Duration::from_ns(5)).ns(), 105);
  EXPECT_EQ((start - Duration::from_ns(101)).ns(), -1);
  EXPECT_EQ((Instant::from_ns(40) - start).ns(), -60);
  Instant moved = start;
  moved += Duration::from_ns(1);
  EXPECT_EQ(moved.ns(), 101);
}

TEST(Instant, EarlierOfTwo) {
  const Instant never = Instant::from_ns(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(earlier(never, Instant::from_ns(9)).ns(), 9);
  EXPECT_EQ(earlier(Instant::from_ns(8), never).ns(), 8);
}

}  // namespace
}  // namespace rtecho

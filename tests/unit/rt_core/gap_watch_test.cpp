#include "rt_core/gap_watch.hpp"

#include <gtest/gtest.h>

namespace rtecho {
namespace {

constexpr Duration threshold = Duration::from_ns(50);

constexpr Instant at(std::int64_t ns) {
  return Instant::from_ns(ns);
}

TEST(GapWatch, FirstLookEndsNoGap) {
  GapWatch watch(threshold);
  EXPECT_EQ(watch.look(at(1'000'000)), Duration{});
  EXPECT_EQ(watch.count(), 0U);
  EXPECT_EQ(watch.take_longest_ns(), 0U);
}

TEST(GapWatch, FirstLookEndsNoGapEvenWhereEveryGapCounts) {
  GapWatch watch(Duration{});
  watch.look(at(1'000'000));
  EXPECT_EQ(watch.count(), 0U);
  EXPECT_TRUE(watch.kept().entries().empty());
}

TEST(GapWatch, CountsFromTheThresholdOn) {
  GapWatch watch(threshold);
  watch.look(at(0));
  EXPECT_EQ(watch.look(at(49)), Duration{});
  EXPECT_EQ(watch.count(), 0U);
  EXPECT_EQ(watch.maximum(), Duration{}) << "no gap reached the threshold";
  EXPECT_EQ(watch.look(at(99)), Duration::from_ns(50));
  EXPECT_EQ(watch.look(at(150)), Duration::from_ns(51));
  EXPECT_EQ(watch.look(at(200)), Duration::from_ns(50));
  EXPECT_EQ(watch.count(), 3U);
  EXPECT_EQ(watch.maximum(), Duration::from_ns(51));
  ASSERT_EQ(watch.kept().entries().size(), 3U);
  EXPECT_EQ(watch.kept().entries()[1].at, at(150)) << "the look that came late";
}

TEST(GapWatch, WaitingOnPurposeIsNoGap) {
  GapWatch watch(threshold);
  watch.look(at(0));
  watch.pause();
  EXPECT_EQ(watch.look(at(1'000'000)), Duration{});
  EXPECT_EQ(watch.look(at(1'000'060)), Duration::from_ns(60)) << "it watches again from the look after the wait on";
  EXPECT_EQ(watch.count(), 1U);
}

TEST(GapWatch, KeepsTheLongestOfManyInFixedMemory) {
  GapWatch watch(threshold);
  std::int64_t now = 0;
  watch.look(at(now));
  for (std::int64_t length = 100; length < 140; ++length) {
    watch.look(at(now += length));
  }
  EXPECT_EQ(watch.count(), 40U);
  ASSERT_EQ(watch.kept().entries().size(), 32U);
  for (const Gap& gap : watch.kept().entries()) {
    EXPECT_GE(gap.length, Duration::from_ns(108));
  }
}

TEST(GapWatch, LongestSinceTakenIsBelowTheThresholdToo) {
  GapWatch watch(threshold);
  watch.look(at(0));
  watch.look(at(7));
  watch.look(at(10));
  EXPECT_EQ(watch.take_longest_ns(), 7U);
  EXPECT_EQ(watch.take_longest_ns(), 0U) << "taken";
  watch.look(at(13));
  EXPECT_EQ(watch.take_longest_ns(), 3U);
}

TEST(GapWatch, LongestSinceTakenSaturatesBelowTheValueForNotWatched) {
  GapWatch watch(threshold);
  watch.look(at(0));
  watch.look(at(4'294'967'293));
  EXPECT_EQ(watch.take_longest_ns(), 4'294'967'293U);
  watch.look(at(4'294'967'293 + 4'294'967'294));
  EXPECT_EQ(watch.take_longest_ns(), 4'294'967'294U);
  watch.look(at(4'294'967'293 + 4'294'967'294 + 4'294'967'295));
  EXPECT_EQ(watch.take_longest_ns(), 4'294'967'294U);
}

TEST(GapWatch, SaturatesBelowAThresholdOfMoreThanFourSecondsToo) {
  GapWatch watch(Duration::from_s(10));
  watch.look(at(0));
  EXPECT_EQ(watch.look(at(5'000'000'000)), Duration{});
  EXPECT_EQ(watch.take_longest_ns(), 4'294'967'294U);
  EXPECT_EQ(watch.count(), 0U);
  EXPECT_EQ(watch.look(at(15'000'000'000)), Duration::from_s(10));
  EXPECT_EQ(watch.count(), 1U);
}

TEST(GapWatch, WaitingOnPurposeIsNotTheLongestEither) {
  GapWatch watch(threshold);
  watch.look(at(0));
  watch.look(at(20));
  watch.pause();
  watch.look(at(1'000'000));
  EXPECT_EQ(watch.take_longest_ns(), 20U);
}

}  // namespace
}  // namespace rtecho

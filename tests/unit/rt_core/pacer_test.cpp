#include "rt_core/pacer.hpp"

#include <gtest/gtest.h>

namespace rtecho {
namespace {

constexpr PacingPlan three_hertz{.numerator_ns = 1'000'000'000, .denominator = 3};
constexpr Instant start = Instant::from_ns(1'000);

TEST(PacingPlan, PingPongHasNoSchedule) {
  EXPECT_FALSE(PacingPlan{}.scheduled());
  EXPECT_EQ(PacingPlan{}.spacing(), Duration{});
  EXPECT_TRUE(three_hertz.scheduled());
  EXPECT_EQ(three_hertz.spacing().ns(), 333'333'333);
}

TEST(PacingPlan, OffsetsAreExactAndRoundedDown) {
  EXPECT_EQ(three_hertz.offset_of(0).ns(), 0);
  EXPECT_EQ(three_hertz.offset_of(1).ns(), 333'333'333);
  EXPECT_EQ(three_hertz.offset_of(2).ns(), 666'666'666);
  EXPECT_EQ(three_hertz.offset_of(3).ns(), 1'000'000'000);
}

TEST(PacingPlan, OffsetsStayExactAtHugeSlots) {
  EXPECT_EQ(three_hertz.offset_of(3'000'000'000).ns(), 1'000'000'000'000'000'000);
  EXPECT_EQ(three_hertz.offset_of(3'000'000'001).ns(), 1'000'000'000'333'333'333);
  constexpr PacingPlan nearly_a_gigahertz{.numerator_ns = 1'000'000'000, .denominator = 999'999'999};
  EXPECT_EQ(nearly_a_gigahertz.offset_of(999'999'998).ns(), 999'999'998);
  EXPECT_EQ(nearly_a_gigahertz.offset_of(999'999'999).ns(), 1'000'000'000);
  EXPECT_EQ(nearly_a_gigahertz.offset_of(999'999'999'000'000'000).ns(), 1'000'000'000'000'000'000);
  constexpr PacingPlan hourly{.numerator_ns = 3'600'000'000'000};
  EXPECT_EQ(hourly.offset_of(2'000'000).ns(), 7'200'000'000'000'000'000) << "228 years";
}

TEST(Pacer, ThreeHertzDoNotDriftInAMillionSlots) {
  Pacer pacer(three_hertz);
  pacer.start(start);
  for (std::int64_t slot = 0; slot < 1'000'000; ++slot) {
    ASSERT_EQ(pacer.intended() - start, three_hertz.offset_of(slot)) << slot;
    pacer.advance();
  }
  EXPECT_EQ((pacer.intended() - start).ns(), 333'333'333'333'333);
}

TEST(Pacer, AnyRateAgreesWithTheOffsets) {
  for (const std::int64_t rate : {1, 7, 999, 1'000, 44'100, 999'983, 999'999'999}) {
    const PacingPlan plan{.numerator_ns = 1'000'000'000, .denominator = rate};
    Pacer pacer(plan);
    pacer.start(start);
    for (std::int64_t slot = 0; slot < 5'000; ++slot) {
      ASSERT_EQ(pacer.intended() - start, plan.offset_of(slot)) << rate << " Hz, slot " << slot;
      pacer.advance();
    }
  }
}

TEST(Pacer, AllMessagesOfABurstAreDueAtItsInstant) {
  Pacer pacer({.numerator_ns = 500, .burst = 3, .window = 3});
  pacer.start(start);
  for (const std::int64_t ns : {1'000, 1'000, 1'000, 1'500, 1'500, 1'500, 2'000}) {
    EXPECT_EQ(pacer.intended().ns(), ns);
    pacer.advance();
  }
}

TEST(Pacer, KnowsTheFirstOfASlot) {
  Pacer pacer({.numerator_ns = 500, .burst = 2, .window = 2});
  pacer.start(start);
  EXPECT_TRUE(pacer.at_slot_start());
  pacer.advance();
  EXPECT_FALSE(pacer.at_slot_start());
  pacer.advance();
  EXPECT_TRUE(pacer.at_slot_start());
  pacer.advance();
  pacer.start(start);
  EXPECT_TRUE(pacer.at_slot_start()) << "a start begins a burst";
}

TEST(Pacer, ARestShiftsTheScheduleAndKeepsItsFractions) {
  Pacer pacer(three_hertz);
  pacer.start(Instant::from_ns(0));
  pacer.advance();
  pacer.suspend(Duration::from_ns(5));
  EXPECT_EQ(pacer.intended().ns(), 333'333'338);
  pacer.advance();
  EXPECT_EQ(pacer.intended().ns(), 666'666'671);
  pacer.advance();
  EXPECT_EQ(pacer.intended().ns(), 1'000'000'005);
}

TEST(Pacer, NextSlotIsTheOneThatComes) {
  Pacer pacer(three_hertz);
  pacer.start(Instant::from_ns(0));
  for (const std::int64_t next : {333'333'333, 666'666'666, 1'000'000'000, 1'333'333'333}) {
    EXPECT_EQ(pacer.next_slot().ns(), next);
    pacer.advance();
  }
}

TEST(Pacer, WithoutASpacingEverySlotIsTheFirst) {
  Pacer pacer(PacingPlan{});
  pacer.start(start);
  for (int i = 0; i < 10; ++i) {
    pacer.advance();
  }
  EXPECT_EQ(pacer.intended(), start);
}

TEST(Pacer, TrapsOnAPlanThatNeverPassedValidation) {
  EXPECT_DEATH_IF_SUPPORTED(Pacer(PacingPlan{.burst = 0}), "");
  EXPECT_DEATH_IF_SUPPORTED(Pacer(PacingPlan{.numerator_ns = -1}), "");
  EXPECT_DEATH_IF_SUPPORTED(Pacer(PacingPlan{.denominator = -1}), "");
}

}  // namespace
}  // namespace rtecho

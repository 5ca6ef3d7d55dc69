#include "report/neighbouring_pairs.hpp"

#include <gtest/gtest.h>

namespace rtecho::report {

TEST(MedianOf, TakesTheMiddleOrTheMeanOfTwo) {
  EXPECT_FALSE(median_of({}));
  EXPECT_EQ(median_of({3}), 3.0);
  EXPECT_EQ(median_of({9, 1}), 5.0);
  EXPECT_EQ(median_of({9, 1, 2}), 2.0);
}

TEST(RatiosOfNeighbours, PairsInterleavedRuns) {
  const auto ratios = ratios_of_neighbours({{1, 1'000}, {3, 3'000}, {5, 8'000}}, {{2, 100}, {4, 100}, {6, 400}});
  ASSERT_TRUE(ratios);
  EXPECT_EQ(ratios->pairs, 3U);
  EXPECT_DOUBLE_EQ(ratios->lowest, 10);
  EXPECT_DOUBLE_EQ(ratios->median, 20);
  EXPECT_DOUBLE_EQ(ratios->highest, 30);
}

TEST(RatiosOfNeighbours, DoesNotCareInWhichOrderItIsGivenTheRuns) {
  const auto ratios = ratios_of_neighbours({{5, 8'000}, {1, 1'000}}, {{6, 400}, {2, 100}});
  ASSERT_TRUE(ratios);
  EXPECT_DOUBLE_EQ(ratios->lowest, 10);
  EXPECT_DOUBLE_EQ(ratios->highest, 20);
}

TEST(RatiosOfNeighbours, UsesEachRunOnce) {
  // A B B A: the two in the middle are neighbours of one group, each belongs to its own A.
  const auto ratios = ratios_of_neighbours({{1, 10}, {4, 60}}, {{2, 10}, {3, 10}});
  ASSERT_TRUE(ratios);
  EXPECT_EQ(ratios->pairs, 2U);
  EXPECT_DOUBLE_EQ(ratios->lowest, 1);
  EXPECT_DOUBLE_EQ(ratios->highest, 6);
}

TEST(RatiosOfNeighbours, FindsOnePairInRunsThatWereNotInterleaved) {
  const auto ratios = ratios_of_neighbours({{1, 10}, {2, 20}, {3, 30}}, {{4, 10}, {5, 20}, {6, 30}});
  ASSERT_TRUE(ratios);
  EXPECT_EQ(ratios->pairs, 1U);
  EXPECT_DOUBLE_EQ(ratios->median, 3);
}

TEST(RatiosOfNeighbours, LeavesUnequalNumbersUnpaired) {
  const auto ratios = ratios_of_neighbours({{1, 10}, {2, 20}, {4, 40}, {6, 60}}, {{3, 10}, {5, 10}});
  ASSERT_TRUE(ratios);
  EXPECT_EQ(ratios->pairs, 2U);
  EXPECT_DOUBLE_EQ(ratios->lowest, 2);
  EXPECT_DOUBLE_EQ(ratios->highest, 4);
}

TEST(RatiosOfNeighbours, HasNoneWithoutBothGroupsOrAboveZero) {
  EXPECT_FALSE(ratios_of_neighbours({}, {}));
  EXPECT_FALSE(ratios_of_neighbours({{1, 10}}, {}));
  EXPECT_FALSE(ratios_of_neighbours({{1, 10}}, {{2, 0}}));
}

}  // namespace rtecho::report

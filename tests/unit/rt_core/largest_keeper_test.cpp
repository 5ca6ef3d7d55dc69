#include "rt_core/largest_keeper.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace rtecho {
namespace {

struct Entry {
  Duration length;
  int number = 0;
};

template <std::size_t K>
std::vector<std::int64_t> kept_lengths(const LargestKeeper<Entry, K>& keeper) {
  std::vector<std::int64_t> lengths;
  for (const Entry& entry : keeper.entries()) {
    lengths.push_back(entry.length.ns());
  }
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  return lengths;
}

TEST(LargestKeeper, KeepsEverythingUntilFull) {
  LargestKeeper<Entry, 3> keeper;
  EXPECT_TRUE(keeper.entries().empty());
  EXPECT_TRUE(keeper.offer({Duration::from_ns(5)}));
  EXPECT_TRUE(keeper.offer({Duration::from_ns(-7)}));
  EXPECT_TRUE(keeper.offer({Duration::from_ns(0)}));
  EXPECT_EQ(kept_lengths(keeper), (std::vector<std::int64_t>{5, 0, -7}));
}

TEST(LargestKeeper, ReplacesTheSmallestByALargerOneOnly) {
  LargestKeeper<Entry, 3> keeper;
  for (const std::int64_t ns : {10, 30, 20}) {
    keeper.offer({Duration::from_ns(ns)});
  }
  EXPECT_FALSE(keeper.offer({Duration::from_ns(9)}));
  EXPECT_FALSE(keeper.offer({Duration::from_ns(10), 2})) << "of equals the first one stays";
  EXPECT_TRUE(keeper.offer({Duration::from_ns(11)}));
  EXPECT_EQ(kept_lengths(keeper), (std::vector<std::int64_t>{30, 20, 11}));
  EXPECT_FALSE(keeper.offer({Duration::from_ns(11)})) << "the new smallest is the bar now";
}

TEST(LargestKeeper, HasNoLimitUntilItIsFull) {
  LargestKeeper<Entry, 2> keeper;
  keeper.offer({Duration::from_ns(30)});
  EXPECT_EQ(keeper.limit(), Duration::from_ns(std::numeric_limits<std::int64_t>::min()));
  EXPECT_TRUE(keeper.admits(Duration::from_ns(-30)));
  keeper.offer({Duration::from_ns(20)});
  EXPECT_EQ(keeper.limit(), Duration::from_ns(20));
  EXPECT_FALSE(keeper.admits(Duration::from_ns(20)));
  EXPECT_TRUE(keeper.admits(Duration::from_ns(21)));
}

TEST(LargestKeeper, KeepsTheOneLargest) {
  LargestKeeper<Entry, 1> keeper;
  for (const std::int64_t ns : {3, 9, 4}) {
    keeper.offer({Duration::from_ns(ns), static_cast<int>(ns)});
  }
  ASSERT_EQ(keeper.entries().size(), 1U);
  EXPECT_EQ(keeper.entries()[0].number, 9);
}

TEST(LargestKeeper, AgreesWithSorting) {
  std::mt19937_64 random(7);
  LargestKeeper<Entry, 16> keeper;
  std::vector<std::int64_t> all;
  for (int i = 0; i < 10'000; ++i) {
    const auto ns = static_cast<std::int64_t>(random() % 5'000);
    all.push_back(ns);
    keeper.offer({Duration::from_ns(ns)});
  }
  std::sort(all.begin(), all.end(), std::greater<>());
  all.resize(16);
  EXPECT_EQ(kept_lengths(keeper), all);
}

}  // namespace
}  // namespace rtecho

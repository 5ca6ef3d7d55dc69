// The histogram against what it stands for: a sorted array of all samples, and sums in 128 bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "rt_core/histogram.hpp"

namespace rtecho {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::array<std::pair<std::uint64_t, std::uint64_t>, 9> quantiles{
    {{0, 1}, {1, 100}, {50, 100}, {90, 100}, {99, 100}, {999, 1'000}, {9'999, 10'000}, {99'999, 100'000}, {1, 1}}};

// Latencies look like this: a narrow body and a tail over many orders of magnitude.
std::vector<std::int64_t> random_latencies(std::uint64_t seed, std::size_t n) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = random() % 8 == 0 ? 10 + random() % 27 : 14;
    const auto value = static_cast<std::int64_t>(random() % (std::uint64_t{1} << bits));
    values.push_back(std::min<std::int64_t>(value, 100'000'000'000));
  }
  return values;
}

// The sample at rank ceil(q · n), counted from 1.
std::int64_t sample_at(const std::vector<std::int64_t>& sorted, std::uint64_t numerator, std::uint64_t denominator) {
  const std::uint64_t rank = (sorted.size() * numerator + denominator - 1) / denominator;
  return sorted[rank == 0 ? 0 : rank - 1];
}

class AgainstSorted : public testing::TestWithParam<std::size_t> {};

TEST_P(AgainstSorted, PercentilesAreTheSamplesRoundedUpByAThousandthAtMost) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    std::vector<std::int64_t> values = random_latencies(seed, GetParam());
    const auto histogram = std::make_unique<Histogram>();
    for (const std::int64_t value : values) {
      histogram->record(Duration::from_ns(value), 0);
    }
    std::sort(values.begin(), values.end());
    ASSERT_EQ(histogram->n(), GetParam());
    EXPECT_EQ(histogram->min().value().ns(), values.front());
    EXPECT_EQ(histogram->max().value().ns(), values.back());
    for (const auto& [numerator, denominator] : quantiles) {
      const std::optional<Duration> percentile = histogram->percentile(numerator, denominator);
      if (!percentile) {
        EXPECT_LT(GetParam(), denominator) << "refused although there are enough samples";
        continue;
      }
      const std::int64_t exact = sample_at(values, numerator, denominator);
      EXPECT_GE(percentile->ns(), exact) << numerator << "/" << denominator;
      EXPECT_LE(percentile->ns(), exact + exact / 1'000) << numerator << "/" << denominator;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfAnySize, AgainstSorted,
                         testing::Values(1U, 2U, 3U, 10U, 99U, 100U, 101U, 1'000U, 9'999U, 100'000U));

TEST(HistogramSums, AgreeWith128Bits) {
  const auto histogram = std::make_unique<Histogram>();
  Wide sum = 0;
  Wide squares = 0;
  for (int round = 0; round < 5; ++round) {
    for (const std::int64_t value : random_latencies(9, 20'000)) {
      const auto wide = static_cast<Wide>(value);
      sum += wide;
      squares += wide * wide;
      histogram->record(Duration::from_ns(value), 0);
    }
  }
  EXPECT_EQ((Wide{histogram->sum().high} << 64) + histogram->sum().low, sum);
  EXPECT_EQ((Wide{histogram->sum_of_squares().high} << 64) + histogram->sum_of_squares().low, squares);
  EXPECT_GT(histogram->sum_of_squares().high, 0U) << "or this test would not reach the upper half";
}

TEST(HistogramMerge, IsTheHistogramOfAllSamples) {
  const std::vector<std::int64_t> first = random_latencies(4, 5'000);
  const std::vector<std::int64_t> second = random_latencies(5, 3'000);
  const auto merged = std::make_unique<Histogram>();
  const auto other = std::make_unique<Histogram>();
  const auto all = std::make_unique<Histogram>();
  for (const std::int64_t value : first) {
    merged->record(Duration::from_ns(value), 0);
    all->record(Duration::from_ns(value), 0);
  }
  for (const std::int64_t value : second) {
    other->record(Duration::from_ns(value), 0);
    all->record(Duration::from_ns(value), 0);
  }
  merged->merge(*other);
  EXPECT_EQ(merged->n(), 8'000U);
  EXPECT_EQ(merged->min(), all->min());
  EXPECT_EQ(merged->max(), all->max());
  for (std::size_t i = 0; i < Histogram::bucket_count; ++i) {
    ASSERT_EQ(merged->count_at(i), all->count_at(i)) << i;
  }
}

TEST(WideSum, CarriesIntoTheUpperHalf) {
  WideSum sum;
  sum.add(~std::uint64_t{0});
  EXPECT_EQ(sum.high, 0U);
  sum.add(1);
  EXPECT_EQ(sum.high, 1U);
  EXPECT_EQ(sum.low, 0U);
  WideSum other{.high = 3, .low = ~std::uint64_t{0}};
  other.add(WideSum{.high = 2, .low = 2});
  EXPECT_EQ(other.high, 6U);
  EXPECT_EQ(other.low, 1U);
}

TEST(WideSum, SquaresTheEdgesExactly) {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0xFFFF'FFFF}, std::uint64_t{0x1'0000'0000},
        std::uint64_t{0x1'0000'0001}, std::uint64_t{100'000'000'000}, std::uint64_t{0xFFFF'FFFF'FFFF}}) {
    WideSum sum;
    sum.add_square(value);
    const Wide square = Wide{value} * value;
    EXPECT_EQ(sum.high, static_cast<std::uint64_t>(square >> 64)) << value;
    EXPECT_EQ(sum.low, static_cast<std::uint64_t>(square)) << value;
  }
}

TEST(WideSum, SquaresAMillionRandomValuesExactly) {
  std::mt19937_64 random(6);
  WideSum sum;
  Wide wide = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const std::uint64_t value = random() & 0xFFFF'FFFF'FFFF;
    sum.add_square(value);
    wide += Wide{value} * value;
  }
  EXPECT_EQ(sum.high, static_cast<std::uint64_t>(wide >> 64));
  EXPECT_EQ(sum.low, static_cast<std::uint64_t>(wide));
}

TEST(WideSum, BecomesAFloatingPointNumberForTheReport) {
  EXPECT_EQ((WideSum{.high = 0, .low = 12'345}.value()), 12'345.0L);
  EXPECT_EQ((WideSum{.high = 2, .low = 0}.value()), std::ldexp(1.0L, 65));
}

}  // namespace
}  // namespace rtecho

#include "rt_core/histogram.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

namespace rtecho {
namespace {

class HistogramTest : public testing::Test {
 protected:
  void record(std::int64_t ns, std::uint64_t sequence = 0) { histogram_->record(Duration::from_ns(ns), sequence); }
  void record_many(std::int64_t ns, std::uint64_t times) {
    for (std::uint64_t i = 0; i < times; ++i) {
      record(ns);
    }
  }
  [[nodiscard]] std::int64_t percentile(std::uint64_t numerator, std::uint64_t denominator) const {
    return histogram_->percentile(numerator, denominator).value().ns();
  }
  std::unique_ptr<Histogram> histogram_ = std::make_unique<Histogram>();
};

// Index and highest equivalent value as HdrHistogram_c gives them for (1, 100 s, 3 digits).
struct Bucket {
  std::uint64_t value;
  std::size_t index;
  std::int64_t highest;
};

TEST(HistogramBuckets, AreThoseOfHdrHistogram) {
  for (const Bucket& bucket :
       {Bucket{0, 0, 0}, Bucket{1, 1, 1}, Bucket{2'047, 2'047, 2'047}, Bucket{2'048, 2'048, 2'049},
        Bucket{2'049, 2'048, 2'049}, Bucket{2'050, 2'049, 2'051}, Bucket{4'095, 3'071, 4'095},
        Bucket{4'096, 3'072, 4'099}, Bucket{10'000, 4'322, 10'007}, Bucket{1'000'000, 11'169, 1'000'447},
        Bucket{100'000'000'000, 28'114, 100'059'316'223}}) {
    EXPECT_EQ(Histogram::index_of(bucket.value), bucket.index) << bucket.value;
    EXPECT_EQ(Histogram::highest_equivalent(bucket.index), bucket.highest) << bucket.value;
  }
  EXPECT_EQ(Histogram::bucket_count, 28'672U) << "counts_array_len of HdrHistogram_c";
}

TEST(HistogramBuckets, FollowEachOtherWithoutHoleOrOverlap) {
  for (std::size_t index = 0; index + 1 <= 28'114; ++index) {
    const auto highest = static_cast<std::uint64_t>(Histogram::highest_equivalent(index));
    ASSERT_EQ(Histogram::index_of(highest), index);
    ASSERT_EQ(Histogram::index_of(highest + 1), index + 1);
  }
}

TEST_F(HistogramTest, HasNothingToSayWithoutASample) {
  EXPECT_EQ(histogram_->n(), 0U);
  EXPECT_FALSE(histogram_->min().has_value());
  EXPECT_FALSE(histogram_->max().has_value());
  EXPECT_FALSE(histogram_->percentile(50, 100).has_value());
  EXPECT_FALSE(histogram_->percentile(100, 100).has_value());
}

TEST_F(HistogramTest, KeepsMinimumAndMaximumExactly) {
  record(1'000'001, 7);
  EXPECT_EQ(histogram_->min().value().ns(), 1'000'001);
  EXPECT_EQ(histogram_->max().value().ns(), 1'000'001);
  record(1'000'003, 8);
  record(1'000'003, 9);
  record(1'000'000, 10);
  EXPECT_EQ(histogram_->min().value().ns(), 1'000'000);
  EXPECT_EQ(histogram_->max().value().ns(), 1'000'003);
  EXPECT_EQ(histogram_->max_sequence(), 8U) << "the first of equals";
  EXPECT_EQ(histogram_->count_at(11'169), 4U) << "one bucket";
}

TEST_F(HistogramTest, CountsZeroAsASample) {
  record(0, 3);
  EXPECT_EQ(histogram_->n(), 1U);
  EXPECT_EQ(histogram_->min().value().ns(), 0);
  EXPECT_EQ(histogram_->max().value().ns(), 0);
  EXPECT_EQ(histogram_->max_sequence(), 3U);
  EXPECT_EQ(histogram_->count_at(0), 1U);
}

TEST_F(HistogramTest, NegativeCountsInNothingElse) {
  record(-1);
  record(std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(histogram_->negative(), 2U);
  EXPECT_EQ(histogram_->n(), 0U);
  EXPECT_FALSE(histogram_->max().has_value());
  EXPECT_EQ(histogram_->sum().low, 0U);
}

TEST_F(HistogramTest, SaturatesAboveAHundredSeconds) {
  record(100'000'000'000, 1);
  EXPECT_EQ(histogram_->saturated(), 0U);
  record(100'000'000'001, 2);
  record(std::numeric_limits<std::int64_t>::max(), 3);
  EXPECT_EQ(histogram_->saturated(), 2U);
  EXPECT_EQ(histogram_->n(), 3U) << "never dropped for being inconvenient";
  EXPECT_EQ(histogram_->max().value().ns(), 9'223'372'036'854'775'807);
  EXPECT_EQ(histogram_->max_sequence(), 3U);
  EXPECT_EQ(histogram_->min().value().ns(), 100'000'000'000);
  EXPECT_EQ(histogram_->sum().low, 100'000'000'000U) << "of the others";
}

TEST_F(HistogramTest, IsExactOnBothSidesOfTheOrdinary) {
  record(100, 1);
  record(5'000'000'000, 2);
  record(4'294'967'295, 3);  // the largest whose square has 64 bits
  record(4'294'967'296, 4);
  record(99, 5);
  record(100, 6);
  record(5'000'000'000, 7);
  record(-1, 8);
  EXPECT_EQ(histogram_->n(), 7U);
  EXPECT_EQ(histogram_->negative(), 1U);
  EXPECT_EQ(histogram_->min().value().ns(), 99);
  EXPECT_EQ(histogram_->max().value().ns(), 5'000'000'000);
  EXPECT_EQ(histogram_->max_sequence(), 2U) << "the first of equals";
  EXPECT_EQ(histogram_->sum().low, 18'589'934'890U);
  EXPECT_EQ(histogram_->sum_of_squares().high, 4U);
  EXPECT_EQ(histogram_->sum_of_squares().low, 13'106'511'843'990'991'978U);
}

TEST_F(HistogramTest, RecordsAnOrdinaryValueTheSame) {
  record(100, 1);
  record(3'000, 2);
  histogram_->record_ordinary(Duration::from_ns(100));
  histogram_->record_ordinary(Duration::from_ns(2'048));
  histogram_->record_ordinary(Duration::from_ns(3'000));
  EXPECT_EQ(histogram_->n(), 5U);
  EXPECT_EQ(histogram_->sum().low, 8'248U);
  EXPECT_EQ(histogram_->sum_of_squares().low, 22'214'304U);
  EXPECT_EQ(histogram_->count_at(100), 2U);
  EXPECT_EQ(histogram_->count_at(2'048), 1U) << "two values a bucket from here on";
  EXPECT_EQ(histogram_->count_at(2'524), 2U);
  EXPECT_EQ(histogram_->max_sequence(), 2U);
  EXPECT_EQ(Histogram::ordinary_end().ns(), 4'294'967'296);
}

TEST_F(HistogramTest, GoesOnFromTheExtremesOfAMerge) {
  auto other = std::make_unique<Histogram>();
  other->record(Duration::from_ns(10), 1);
  other->record(Duration::from_ns(90), 2);
  record(50, 3);
  histogram_->merge(*other);
  record(90, 4);
  record(9, 5);
  record(91, 6);
  EXPECT_EQ(histogram_->min().value().ns(), 9);
  EXPECT_EQ(histogram_->max().value().ns(), 91);
  EXPECT_EQ(histogram_->max_sequence(), 6U);
  histogram_->reset();
  record(60, 7);
  EXPECT_EQ(histogram_->min().value().ns(), 60);
  EXPECT_EQ(histogram_->max_sequence(), 7U);
}

TEST_F(HistogramTest, HasNoMinimumWhereEverySampleWasSaturated) {
  record(200'000'000'000);
  record(300'000'000'000);
  EXPECT_FALSE(histogram_->min().has_value());
  EXPECT_EQ(histogram_->max().value().ns(), 300'000'000'000);
  EXPECT_EQ(percentile(50, 100), 300'000'000'000) << "all that is known of a saturated rank";
}

TEST_F(HistogramTest, PercentilesReachIntoTheSaturatedSamples) {
  record_many(100, 90);
  record_many(150'000'000'000, 10);
  EXPECT_EQ(percentile(90, 100), 100);
  EXPECT_EQ(percentile(91, 100), 150'000'000'000);
}

TEST_F(HistogramTest, PrintsAPercentileOnlyWhereThereAreSamplesForIt) {
  record(5);
  EXPECT_FALSE(histogram_->percentile(50, 100).has_value()) << "n >= 1 / (1 - q) = 2";
  record(5);
  EXPECT_TRUE(histogram_->percentile(50, 100).has_value());
  record_many(5, 7);
  EXPECT_FALSE(histogram_->percentile(90, 100).has_value()) << "9 of 10";
  record(5);
  EXPECT_TRUE(histogram_->percentile(90, 100).has_value());
  record_many(5, 89);
  EXPECT_FALSE(histogram_->percentile(99, 100).has_value()) << "99 of 100";
  record(5);
  EXPECT_TRUE(histogram_->percentile(99, 100).has_value());
  EXPECT_FALSE(histogram_->percentile(999, 1'000).has_value());
  EXPECT_TRUE(histogram_->percentile(100, 100).has_value()) << "the maximum needs one sample";
  record_many(5, 99'899);
  EXPECT_FALSE(histogram_->percentile(99'999, 100'000).has_value()) << "99,999 of 100,000";
  record(5);
  EXPECT_TRUE(histogram_->percentile(99'999, 100'000).has_value());
}

TEST_F(HistogramTest, PercentilesStayBetweenMinimumAndMaximum) {
  record(1'000'000);
  record(1'000'100);
  EXPECT_EQ(percentile(50, 100), 1'000'100) << "not 1,000,447, the end of the bucket";
  EXPECT_EQ(percentile(100, 100), 1'000'100);
  EXPECT_EQ(percentile(0, 100), 1'000'100) << "rank 1: the bucket of the minimum, up to the maximum";
}

TEST_F(HistogramTest, MergesEverything) {
  record(100, 1);
  record(-1);
  const auto other = std::make_unique<Histogram>();
  other->record(Duration::from_ns(50), 2);
  other->record(Duration::from_ns(7'000), 3);
  other->record(Duration::from_s(101), 4);
  other->record(Duration::from_ns(-5), 5);
  histogram_->merge(*other);
  EXPECT_EQ(histogram_->n(), 4U);
  EXPECT_EQ(histogram_->negative(), 2U);
  EXPECT_EQ(histogram_->saturated(), 1U);
  EXPECT_EQ(histogram_->min().value().ns(), 50);
  EXPECT_EQ(histogram_->max().value().ns(), 101'000'000'000);
  EXPECT_EQ(histogram_->max_sequence(), 4U);
  EXPECT_EQ(histogram_->sum().low, 7'150U);
  EXPECT_EQ(histogram_->sum_of_squares().low, 49'012'500U);  // 10,000 + 2,500 + 49,000,000
  EXPECT_EQ(histogram_->count_at(100), 1U);
  EXPECT_EQ(histogram_->count_at(50), 1U);
}

TEST_F(HistogramTest, MergingAnEmptyOneChangesNothing) {
  record(100, 9);
  histogram_->merge(*std::make_unique<Histogram>());
  EXPECT_EQ(histogram_->n(), 1U);
  EXPECT_EQ(histogram_->min().value().ns(), 100);
  EXPECT_EQ(histogram_->max().value().ns(), 100);
  EXPECT_EQ(histogram_->max_sequence(), 9U);
}

TEST_F(HistogramTest, ResetForgetsEverything) {
  record(100, 9);
  record(-1);
  record(200'000'000'000);
  histogram_->reset();
  EXPECT_EQ(histogram_->n() + histogram_->negative() + histogram_->saturated() + histogram_->max_sequence(), 0U);
  EXPECT_FALSE(histogram_->max().has_value());
  EXPECT_EQ(histogram_->count_at(100), 0U);
  record(7);
  EXPECT_EQ(histogram_->min().value().ns(), 7);
}

TEST_F(HistogramTest, TrapsOnAPercentileAboveAHundred) {
  EXPECT_DEATH_IF_SUPPORTED((void)histogram_->percentile(101, 100), "");
  EXPECT_DEATH_IF_SUPPORTED((void)histogram_->percentile(0, 0), "");
}

}  // namespace
}  // namespace rtecho

#include "report/latency_summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

namespace rtecho::report {
namespace {

std::unique_ptr<Histogram> histogram_of(const std::vector<std::int64_t>& ns) {
  auto histogram = std::make_unique<Histogram>();
  std::uint64_t sequence = 100;
  for (const std::int64_t value : ns) {
    histogram->record(Duration::from_ns(value), sequence++);
  }
  return histogram;
}

}  // namespace

TEST(LatencySummary, OfNothingHasNoValues) {
  const LatencySummary summary = summarize(*histogram_of({}));
  EXPECT_EQ(summary.n, 0U);
  EXPECT_FALSE(summary.min_ns || summary.max_ns || summary.max_sequence || summary.mean_ns || summary.stddev_ns);
  EXPECT_TRUE(summary.percentiles.empty());
}

TEST(LatencySummary, OfOneSampleIsThatSample) {
  const LatencySummary summary = summarize(*histogram_of({48'123}));
  EXPECT_EQ(summary.n, 1U);
  EXPECT_EQ(summary.min_ns, 48'123);
  EXPECT_EQ(summary.max_ns, 48'123);
  EXPECT_EQ(summary.max_sequence, 100U);
  EXPECT_EQ(summary.mean_ns, 48'123);
  EXPECT_EQ(summary.stddev_ns, 0);
  EXPECT_TRUE(summary.percentiles.empty());
}

TEST(LatencySummary, ComputesMeanAndDeviationOfThePopulation) {
  const LatencySummary summary = summarize(*histogram_of({2'000, 4'000, 4'000, 4'000, 5'000, 5'000, 7'000, 9'000}));
  EXPECT_EQ(summary.mean_ns, 5'000);
  EXPECT_EQ(summary.stddev_ns, 2'000);
}

TEST(LatencySummary, KeepsADeviationThatIsSmallBesideTheMean) {
  const auto histogram = std::make_unique<Histogram>();
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    histogram->record(Duration::from_ns(90'000'000'000 + (i % 2 == 0 ? 100'000 : -100'000)), i);
  }
  EXPECT_EQ(summarize(*histogram).mean_ns, 90'000'000'000);
  EXPECT_NEAR(static_cast<double>(summarize(*histogram).stddev_ns.value()), 100'000, 1);
}

TEST(LatencySummary, OfSaturatedSamplesHasAMaximumAndNoMean) {
  const LatencySummary summary = summarize(*histogram_of({100'000'000'001, 200'000'000'000}));
  EXPECT_EQ(summary.n, 2U);
  EXPECT_EQ(summary.saturated, 2U);
  EXPECT_FALSE(summary.min_ns);
  EXPECT_EQ(summary.max_ns, 200'000'000'000);
  EXPECT_EQ(summary.max_sequence, 101U);
  EXPECT_FALSE(summary.mean_ns);
}

TEST(LatencySummary, CountsNegativeOnesApart) {
  const LatencySummary summary = summarize(*histogram_of({-1, 5}));
  EXPECT_EQ(summary.n, 1U);
  EXPECT_EQ(summary.negative, 1U);
  EXPECT_EQ(summary.min_ns, 5);
}

TEST(LatencySummary, HasOnlyThePercentilesThatItsSamplesAllow) {
  const auto names = [](std::size_t n) {
    std::string text;
    for (const auto& [name, value] : summarize(*histogram_of(std::vector<std::int64_t>(n, 7))).percentiles) {
      text += name + " ";
    }
    return text;
  };
  EXPECT_EQ(names(1), "");
  EXPECT_EQ(names(2), "p50 ");
  EXPECT_EQ(names(9), "p50 ");
  EXPECT_EQ(names(10), "p50 p90 ");
  EXPECT_EQ(names(999), "p50 p90 p99 ");
  EXPECT_EQ(names(100'000), "p50 p90 p99 p99.9 p99.99 p99.999 ");
}

TEST(LatencySummary, ResumeKeepsFewSamplesHonest) {
  EXPECT_EQ(summarize_resume(*histogram_of({})), ResumeSummary{});
  const ResumeSummary one = summarize_resume(*histogram_of({30}));
  EXPECT_EQ(one.max_ns, 30);
  EXPECT_FALSE(one.p50_ns);
  EXPECT_EQ(summarize_resume(*histogram_of({30, 10, 20})).p50_ns, 20);
}

TEST(PercentileFromText, ReadsFractionsExactly) {
  EXPECT_EQ(percentile_from_text("p50"), (Percentile{50, 100}));
  EXPECT_EQ(percentile_from_text("p99.9"), (Percentile{999, 1'000}));
  EXPECT_EQ(percentile_from_text("p99.999999"), (Percentile{99'999'999, 100'000'000}));
  EXPECT_EQ(percentile_from_text("p0.1"), (Percentile{1, 1'000}));
  EXPECT_EQ(percentile_from_text("p100"), (Percentile{100, 100}));
}

TEST(PercentileFromText, RefusesTheRest) {
  for (const char* text : {"", "p", "50", "p0", "p0.0", "p101", "p100.1", "p99.", "p.9", "p-1", "p99.9999999", "p9 9",
                           "p1000", "p99.9.9", "max"}) {
    EXPECT_FALSE(percentile_from_text(text)) << text;
  }
}

TEST(PercentileOf, AgreesWithSortedArrays) {
  std::mt19937_64 random(20'260'301);
  for (const std::size_t n : {2U, 10U, 99U, 100U, 1'000U, 10'000U}) {
    std::vector<std::int64_t> values;
    std::vector<std::uint64_t> counts(Histogram::bucket_count);
    for (std::size_t i = 0; i < n; ++i) {
      values.push_back(static_cast<std::int64_t>(random() % 2'048));  // buckets of 1 ns: exact
      ++counts[Histogram::index_of(static_cast<std::uint64_t>(values.back()))];
    }
    std::sort(values.begin(), values.end());
    EXPECT_EQ(percentile_of(counts, 0, {50, 100}), values[(n + 1) / 2 - 1]) << n;
    EXPECT_EQ(percentile_of(counts, 0, {100, 100}), values.back()) << n;
    const std::optional<std::int64_t> p99 = n >= 100 ? std::optional(values[(n * 99 + 99) / 100 - 1]) : std::nullopt;
    EXPECT_EQ(percentile_of(counts, 0, {99, 100}), p99) << n;
  }
}

TEST(PercentileOf, AgreesWithTheHistogram) {
  std::mt19937_64 random(7);
  const auto histogram = std::make_unique<Histogram>();
  std::vector<std::uint64_t> counts(Histogram::bucket_count);
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const std::uint64_t value = random() >> (28 + random() % 30);
    histogram->record(Duration::from_ns(static_cast<std::int64_t>(value)), i);
    ++counts[Histogram::index_of(value)];
  }
  for (const Percentile percentile : {Percentile{50, 100}, Percentile{9'995, 10'000}, Percentile{99'999, 100'000}}) {
    const std::int64_t expected = histogram->percentile(percentile.numerator, percentile.denominator)->ns();
    EXPECT_EQ(std::min(percentile_of(counts, 0, percentile).value(), histogram->max()->ns()), expected);
  }
}

TEST(PercentileOf, PutsSaturatedSamplesAboveAllBuckets) {
  const std::vector<std::uint64_t> counts(10, 1);
  EXPECT_EQ(percentile_of(counts, 10, {50, 100}), 9);
  EXPECT_GT(percentile_of(counts, 10, {90, 100}).value(), 100'000'000'000);
}

}  // namespace rtecho::report

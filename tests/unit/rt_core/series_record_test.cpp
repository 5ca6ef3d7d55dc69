#include "rt_core/series_record.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace rtecho {
namespace {

TEST(SeriesRecord, IsEmptyAtFirst) {
  const auto record = std::make_unique<SeriesRecord>();
  EXPECT_EQ(record->end, SeriesEnd::running);
  EXPECT_EQ(record->accounting, ClientAccounting{});
  EXPECT_EQ(record->elapsed, Duration{});
  EXPECT_EQ(record->rests + record->drain_waits, 0U);
  EXPECT_EQ(record->batches.batches(), 0U);
  EXPECT_TRUE(record->slowest.entries().empty());
  for (const Histogram* histogram :
       {&record->service, &record->response, &record->slip, &record->turnaround, &record->residence, &record->resume}) {
    EXPECT_EQ(histogram->n(), 0U);
  }
}

TEST(SeriesRecord, KeepsTheSixteenSlowest) {
  const auto record = std::make_unique<SeriesRecord>();
  for (std::int64_t ns = 1; ns <= 100; ++ns) {
    record->slowest.offer(SlowMessage{.length = Duration::from_ns(ns), .sequence = static_cast<std::uint64_t>(ns)});
  }
  ASSERT_EQ(record->slowest.entries().size(), 16U);
  for (const SlowMessage& message : record->slowest.entries()) {
    EXPECT_GE(message.sequence, 85U);
  }
}

}  // namespace
}  // namespace rtecho

#include "rt_core/batch_table.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace rtecho {
namespace {

BatchRecord batch_of(std::uint64_t n, std::int64_t min_ns, std::int64_t max_ns) {
  return BatchRecord{n, Duration::from_ns(min_ns), Duration::from_ns(max_ns)};
}

TEST(BatchRecord, KeepsMinimumAndMaximumOfItsMessages) {
  BatchRecord record;
  record.add(Duration::from_ns(50));
  EXPECT_EQ(record.min.ns(), 50);
  EXPECT_EQ(record.max.ns(), 50);
  record.add(Duration::from_ns(-2));
  record.add(Duration::from_ns(70));
  EXPECT_EQ(record.n, 3U);
  EXPECT_EQ(record.min.ns(), -2);
  EXPECT_EQ(record.max.ns(), 70);
}

TEST(BatchRecord, AnEmptyOneChangesNothing) {
  BatchRecord record = batch_of(3, 10, 20);
  record.merge(BatchRecord{});
  EXPECT_EQ(record.n, 3U);
  EXPECT_EQ(record.min.ns(), 10) << "not the 0 of a batch without a sample";
  BatchRecord empty;
  empty.merge(record);
  EXPECT_EQ(empty.n, 3U);
  EXPECT_EQ(empty.min.ns(), 10);
  EXPECT_EQ(empty.max.ns(), 20);
}

class BatchTableTest : public testing::Test {
 protected:
  // Batch i has n = 1 and the latency i.
  void fill_to(std::uint64_t batches) {
    for (std::uint64_t i = table_->batches(); i < batches; ++i) {
      table_->add(batch_of(1, static_cast<std::int64_t>(i), static_cast<std::int64_t>(i)));
    }
  }
  [[nodiscard]] std::uint64_t sum_of_n() const {
    std::uint64_t n = 0;
    for (const BatchRecord& record : table_->records()) {
      n += record.n;
    }
    return n;
  }
  std::unique_ptr<BatchTable> table_ = std::make_unique<BatchTable>();
};

TEST_F(BatchTableTest, IsEmptyAtFirst) {
  EXPECT_TRUE(table_->records().empty());
  EXPECT_EQ(table_->batches(), 0U);
  EXPECT_EQ(table_->batches_per_record(), 1U);
}

TEST_F(BatchTableTest, HoldsOneRecordPerBatchUntilFull) {
  fill_to(4'096);
  EXPECT_EQ(table_->records().size(), 4'096U);
  EXPECT_EQ(table_->batches_per_record(), 1U);
  EXPECT_EQ(table_->records()[4'095].max.ns(), 4'095);
}

TEST_F(BatchTableTest, MergesNeighboursInPairsWhenFull) {
  fill_to(4'097);
  EXPECT_EQ(table_->batches(), 4'097U);
  EXPECT_EQ(table_->batches_per_record(), 2U);
  ASSERT_EQ(table_->records().size(), 2'049U);
  EXPECT_EQ(table_->records()[0].min.ns(), 0);
  EXPECT_EQ(table_->records()[0].max.ns(), 1);
  EXPECT_EQ(table_->records()[2'047].min.ns(), 4'094);
  EXPECT_EQ(table_->records()[2'047].max.ns(), 4'095);
  EXPECT_EQ(table_->records()[2'048].n, 1U) << "the last record is not complete yet";
  fill_to(4'098);
  ASSERT_EQ(table_->records().size(), 2'049U);
  EXPECT_EQ(table_->records()[2'048].n, 2U);
  fill_to(4'099);
  EXPECT_EQ(table_->records().size(), 2'050U);
}

TEST_F(BatchTableTest, StaysInItsMemoryOverAMillionBatches) {
  fill_to(1'000'000);
  EXPECT_EQ(table_->batches(), 1'000'000U);
  EXPECT_EQ(table_->batches_per_record(), 256U);
  ASSERT_EQ(table_->records().size(), 3'907U);  // 3906.25
  EXPECT_EQ(sum_of_n(), 1'000'000U);
  for (std::size_t i = 0; i < 3'906; ++i) {
    ASSERT_EQ(table_->records()[i].n, 256U) << i;
    ASSERT_EQ(table_->records()[i].min.ns(), static_cast<std::int64_t>(i) * 256) << "pairs stay aligned";
  }
  EXPECT_EQ(table_->records()[3'906].n, 64U);
  EXPECT_EQ(table_->records()[3'906].max.ns(), 999'999);
}

}  // namespace
}  // namespace rtecho

#include "rt_core/event_log.hpp"

#include <gtest/gtest.h>

namespace rtecho {
namespace {

void add_numbered(EventLog& log, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    log.add(Event{.kind = EventKind::sample, .sequence = first + i});
  }
}

TEST(EventLog, IsEmptyAtFirst) {
  const EventLog log;
  EXPECT_TRUE(log.pending().empty());
  EXPECT_EQ(log.dropped(), 0U);
}

TEST(EventLog, KeepsTheOrder) {
  EventLog log;
  add_numbered(log, 10, 3);
  ASSERT_EQ(log.pending().size(), 3U);
  EXPECT_EQ(log.pending()[0].sequence, 10U);
  EXPECT_EQ(log.pending()[2].sequence, 12U);
}

TEST(EventLog, CountsWhatDoesNotFitAndKeepsTheOldest) {
  EventLog log;
  add_numbered(log, 0, 64);
  EXPECT_EQ(log.dropped(), 0U) << "full is not too full";
  add_numbered(log, 64, 1);
  EXPECT_EQ(log.dropped(), 1U);
  add_numbered(log, 65, 35);
  EXPECT_EQ(log.dropped(), 36U);
  ASSERT_EQ(log.pending().size(), 64U);
  EXPECT_EQ(log.pending()[0].sequence, 0U);
  EXPECT_EQ(log.pending()[63].sequence, 63U);
}

TEST(EventLog, HasRoomAgainAfterItWasDrained) {
  EventLog log;
  add_numbered(log, 0, 65);
  log.clear();
  EXPECT_TRUE(log.pending().empty());
  add_numbered(log, 200, 64);
  ASSERT_EQ(log.pending().size(), 64U);
  EXPECT_EQ(log.pending()[63].sequence, 263U);
  EXPECT_EQ(log.dropped(), 1U) << "of the whole run";
}

TEST(Event, IsOneCacheLine) {
  EXPECT_EQ(sizeof(Event), 64U);
  EXPECT_EQ(alignof(Event), 64U);
}

}  // namespace
}  // namespace rtecho

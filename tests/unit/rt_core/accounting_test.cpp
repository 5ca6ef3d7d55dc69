#include "rt_core/accounting.hpp"

#include <gtest/gtest.h>

namespace rtecho {
namespace {

// attempted 20 = 15 + 3 + 2, sent 15 = 7 + 2 + 5 + 1, frames 13 = 7 + 2 + 1 + 1 + 1 + 1.
constexpr ClientAccounting client_that_holds{.attempted = 20,
                                             .sent = 15,
                                             .refused = 3,
                                             .skipped = 2,
                                             .answered = 7,
                                             .late = 2,
                                             .lost = 5,
                                             .unresolved = 1,
                                             .frames = 13,
                                             .duplicate = 1,
                                             .corrupt = 1,
                                             .malformed = 1,
                                             .stray = 1};
constexpr ServerAccounting server_that_holds{
    .frames = 14, .requests = 8, .repeated = 3, .malformed = 2, .unarmed = 1, .replies = 10, .reply_refused = 1};

TEST(ClientAccounting, HoldsWhenEmpty) {
  EXPECT_TRUE(ClientAccounting{}.holds());
}

TEST(ClientAccounting, HoldsOnlyWhileEveryTermIsRight) {
  ASSERT_TRUE(client_that_holds.holds());
  for (std::uint64_t ClientAccounting::*term :
       {&ClientAccounting::attempted, &ClientAccounting::sent, &ClientAccounting::refused, &ClientAccounting::skipped,
        &ClientAccounting::answered, &ClientAccounting::late, &ClientAccounting::lost, &ClientAccounting::unresolved,
        &ClientAccounting::frames, &ClientAccounting::duplicate, &ClientAccounting::corrupt,
        &ClientAccounting::malformed, &ClientAccounting::stray}) {
    ClientAccounting one_more = client_that_holds;
    ++(one_more.*term);
    EXPECT_FALSE(one_more.holds());
  }
}

TEST(ClientAccounting, PropertiesAreOutsideTheEquations) {
  ClientAccounting accounting = client_that_holds;
  accounting.reordered = accounting.late_untimed = accounting.warmup = accounting.resume = 99;
  EXPECT_TRUE(accounting.holds());
}

TEST(ClientAccounting, ErrorsAreCorruptMalformedAndRefused) {
  EXPECT_EQ((ClientAccounting{.refused = 3, .lost = 8, .corrupt = 20, .malformed = 100, .stray = 9}.errors()), 123U);
}

TEST(ServerAccounting, HoldsOnlyWhileEveryTermIsRight) {
  ASSERT_TRUE(server_that_holds.holds());
  for (std::uint64_t ServerAccounting::*term :
       {&ServerAccounting::frames, &ServerAccounting::requests, &ServerAccounting::repeated,
        &ServerAccounting::malformed, &ServerAccounting::unarmed, &ServerAccounting::replies,
        &ServerAccounting::reply_refused}) {
    ServerAccounting one_more = server_that_holds;
    ++(one_more.*term);
    EXPECT_FALSE(one_more.holds());
  }
}

TEST(SplitLoss, TellsUpFromDown) {
  LossSplit split;
  ASSERT_TRUE(split_loss({.sent = 100, .lost = 10}, {.requests = 93}, split));
  EXPECT_EQ(split.up, 7U);
  EXPECT_EQ(split.down, 3U);
}

TEST(SplitLoss, AllUpAllDownAndNone) {
  LossSplit split;
  ASSERT_TRUE(split_loss({.sent = 4, .lost = 4}, {.requests = 0}, split));
  EXPECT_EQ(split.up, 4U);
  EXPECT_EQ(split.down, 0U);
  ASSERT_TRUE(split_loss({.sent = 4, .lost = 4}, {.requests = 4}, split));
  EXPECT_EQ(split.up, 0U);
  EXPECT_EQ(split.down, 4U);
  ASSERT_TRUE(split_loss({.sent = 4, .lost = 0}, {.requests = 4}, split));
  EXPECT_EQ(split.up, 0U);
  EXPECT_EQ(split.down, 0U);
}

TEST(SplitLoss, RefusesHalvesThatDoNotBelongTogether) {
  LossSplit split{.up = 77, .down = 88};
  EXPECT_FALSE(split_loss({.sent = 4}, {.requests = 5}, split)) << "more requests than were sent";
  EXPECT_FALSE(split_loss({.sent = 4, .lost = 1}, {.requests = 2}, split)) << "two are missing, one was lost";
  EXPECT_FALSE(split_loss({.sent = 4, .unresolved = 1}, {.requests = 4}, split)) << "interrupted";
  EXPECT_EQ(split.up, 77U) << "untouched where there is no answer";
  EXPECT_EQ(split.down, 88U);
}

}  // namespace
}  // namespace rtecho

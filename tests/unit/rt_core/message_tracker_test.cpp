#include "rt_core/message_tracker.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace rtecho {
namespace {

constexpr Duration timeout = Duration::from_ns(1'000);

constexpr Instant at(std::int64_t ns) {
  return Instant::from_ns(ns);
}

class MessageTrackerTest : public testing::Test {
 protected:
  std::uint64_t send(std::int64_t ns) {
    const std::uint64_t sequence = tracker_->next_sequence();
    tracker_->sent(at(ns - 5), at(ns), MessageClass::recorded);
    return sequence;
  }
  MatchKind kind_of(std::uint64_t sequence, std::int64_t ns) { return tracker_->match(sequence, at(ns)).kind; }
  // Sends and answers until `sequence` is the next number, all at one instant.
  void answer_up_to(std::uint64_t sequence, std::int64_t ns) {
    while (tracker_->next_sequence() < sequence) {
      ASSERT_EQ(kind_of(send(ns), ns), MatchKind::answered);
    }
  }
  std::unique_ptr<MessageTracker> tracker_ = std::make_unique<MessageTracker>(timeout);
};

TEST_F(MessageTrackerTest, KnowsNoMessageAtFirst) {
  EXPECT_EQ(kind_of(0, 0), MatchKind::stray);
  EXPECT_EQ(tracker_->next_sequence(), 0U);
  EXPECT_EQ(tracker_->outstanding(), 0U);
  EXPECT_EQ(tracker_->missing(), 0U);
  EXPECT_FALSE(tracker_->peer_is_lost(at(1'000'000'000'000'000)));
}

TEST_F(MessageTrackerTest, GivesTheStampsOfTheAnsweredMessageBack) {
  tracker_->sent(at(90), at(100), MessageClass::resume);
  EXPECT_EQ(tracker_->outstanding(), 1U);
  const Match match = tracker_->match(0, at(200));
  EXPECT_EQ(match.kind, MatchKind::answered);
  EXPECT_FALSE(match.reordered);
  EXPECT_EQ(match.message->intended, at(90));
  EXPECT_EQ(match.message->send, at(100));
  EXPECT_EQ(match.message->message_class, MessageClass::resume);
  EXPECT_EQ(tracker_->outstanding(), 0U);
}

TEST_F(MessageTrackerTest, ASecondAnswerIsADuplicate) {
  send(100);
  EXPECT_EQ(kind_of(0, 200), MatchKind::answered);
  EXPECT_EQ(kind_of(0, 201), MatchKind::duplicate);
  EXPECT_EQ(kind_of(0, 5'000), MatchKind::duplicate) << "however late";
}

TEST_F(MessageTrackerTest, AnAnswerToANumberThatWasNotSentIsStray) {
  send(100);
  EXPECT_EQ(kind_of(1, 200), MatchKind::stray);
  EXPECT_EQ(kind_of(~std::uint64_t{0}, 200), MatchKind::stray);
  EXPECT_EQ(tracker_->outstanding(), 1U);
}

TEST_F(MessageTrackerTest, IsInTimeOneNanosecondBeforeTheTimeout) {
  send(100);
  EXPECT_EQ(kind_of(0, 1'099), MatchKind::answered);
}

TEST_F(MessageTrackerTest, IsLateExactlyAtTheTimeout) {
  send(100);
  EXPECT_EQ(kind_of(0, 1'100), MatchKind::late) << "although nothing has expired yet";
  EXPECT_EQ(tracker_->missing(), 0U);
  send(5'100);
  EXPECT_EQ(kind_of(1, 6'101), MatchKind::late);
}

TEST_F(MessageTrackerTest, ExpiresExactlyAtTheTimeout) {
  send(100);
  EXPECT_EQ(tracker_->first_timeout(), at(1'100));
  EXPECT_EQ(tracker_->expire(at(1'099)), 0U);
  EXPECT_EQ(tracker_->expire(at(1'100)), 1U);
  EXPECT_EQ(tracker_->expire(at(1'101)), 0U) << "once";
  EXPECT_EQ(tracker_->outstanding(), 0U);
  EXPECT_EQ(tracker_->overdue(), 1U);
  EXPECT_EQ(tracker_->missing(), 1U);
}

TEST_F(MessageTrackerTest, ALateAnswerIsNotMissingAndKeepsItsStamp) {
  send(100);
  EXPECT_EQ(tracker_->expire(at(1'101)), 1U);
  const Match match = tracker_->match(0, at(9'000));
  EXPECT_EQ(match.kind, MatchKind::late);
  EXPECT_EQ(match.message->send, at(100));
  EXPECT_EQ(tracker_->missing(), 0U);
  EXPECT_EQ(kind_of(0, 9'001), MatchKind::duplicate);
}

TEST_F(MessageTrackerTest, ExpiresTheOldOnesOnly) {
  send(100);
  send(200);
  send(300);
  EXPECT_EQ(kind_of(1, 400), MatchKind::answered);
  EXPECT_EQ(tracker_->expire(at(1'299)), 1U) << "the first; the second is answered, the third has a ns left";
  EXPECT_EQ(tracker_->outstanding(), 1U);
  EXPECT_EQ(tracker_->first_timeout(), at(1'300));
}

TEST_F(MessageTrackerTest, FirstTimeoutIsThatOfTheOldestOutstanding) {
  send(100);
  const std::uint64_t second = send(300);
  EXPECT_EQ(tracker_->first_timeout(), at(1'100));
  EXPECT_EQ(kind_of(0, 400), MatchKind::answered);
  EXPECT_EQ(tracker_->first_timeout(), at(1'300));
  EXPECT_EQ(kind_of(second, 400), MatchKind::answered);
  send(500);
  EXPECT_EQ(tracker_->first_timeout(), at(1'500));
}

TEST_F(MessageTrackerTest, TellsAnAnswerThatWasOvertaken) {
  send(100);
  send(101);
  send(102);
  EXPECT_FALSE(tracker_->match(1, at(200)).reordered);
  EXPECT_TRUE(tracker_->match(0, at(201)).reordered);
  EXPECT_FALSE(tracker_->match(2, at(202)).reordered);
}

TEST_F(MessageTrackerTest, FindsAMessageUntilItsEntryIsUsedAgain) {
  send(100);
  EXPECT_EQ(tracker_->expire(at(1'100)), 1U);
  answer_up_to(65'536, 2'000);
  EXPECT_EQ(kind_of(0, 2'001), MatchKind::late) << "the ring holds 65,536";
}

TEST_F(MessageTrackerTest, CallsAnAnswerOlderThanTheRingLateWithoutAStamp) {
  send(100);
  EXPECT_EQ(tracker_->expire(at(1'100)), 1U);
  answer_up_to(65'537, 2'000);
  EXPECT_EQ(tracker_->overdue(), 0U);
  EXPECT_EQ(tracker_->missing(), 1U) << "its entry is gone, not its loss";
  EXPECT_EQ(kind_of(0, 2'001), MatchKind::late_beyond_ring);
  EXPECT_EQ(tracker_->missing(), 0U);
  EXPECT_EQ(kind_of(0, 2'002), MatchKind::duplicate) << "none that old is missing any more";
}

TEST_F(MessageTrackerTest, CountsEveryMissingOneOverSeveralTurnsOfTheRing) {
  std::int64_t now = 10'000;
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < 5; ++i) {
      send(now);
      now += 2'000;
      ASSERT_EQ(tracker_->expire(at(now)), 1U);
    }
    answer_up_to(65'536U * static_cast<unsigned>(turn + 1), now);
  }
  EXPECT_EQ(tracker_->missing(), 15U);
  EXPECT_EQ(tracker_->overdue(), 5U) << "the others' entries are used again";
}

// Window 2, a long timeout, batches without end: one lost message, and 65,536 answered ones beside it.
TEST_F(MessageTrackerTest, DoesNotForgetAnOutstandingMessageWhoseEntryIsUsedAgain) {
  send(100);
  answer_up_to(65'537, 200);
  ASSERT_EQ(tracker_->outstanding() + tracker_->missing(), 1U);
  ASSERT_EQ(tracker_->outstanding(), 0U) << "or expire() looks for it for ever";
  EXPECT_EQ(tracker_->expire(at(5'000)), 0U);
  send(6'000);
  EXPECT_EQ(tracker_->first_timeout(), at(7'000));
  EXPECT_EQ(kind_of(0, 6'001), MatchKind::late_beyond_ring);
}

TEST_F(MessageTrackerTest, TenTimeoutsInARowLoseThePeer) {
  std::int64_t now = 0;
  for (int i = 0; i < 9; ++i) {
    send(now);
    now += 1'000;
    EXPECT_EQ(tracker_->expire(at(now)), 1U);
  }
  EXPECT_FALSE(tracker_->peer_is_lost(at(now)));
  send(now);
  now += 1'000;
  EXPECT_EQ(tracker_->expire(at(now)), 1U);
  EXPECT_TRUE(tracker_->peer_is_lost(at(now)));
}

TEST_F(MessageTrackerTest, AnyAnswerBeginsTheRowAgain) {
  std::int64_t now = 0;
  for (int i = 0; i < 9; ++i) {
    send(now);
    now += 1'000;
    tracker_->expire(at(now));
  }
  EXPECT_EQ(kind_of(3, now), MatchKind::late);
  for (int i = 0; i < 9; ++i) {
    send(now);
    now += 1'000;
    tracker_->expire(at(now));
  }
  EXPECT_FALSE(tracker_->peer_is_lost(at(now)));
}

TEST_F(MessageTrackerTest, ThreeSecondsOfSilenceLoseThePeer) {
  tracker_ = std::make_unique<MessageTracker>(Duration::from_s(1));
  send(500);
  EXPECT_FALSE(tracker_->peer_is_lost(at(3'000'000'500)));
  EXPECT_TRUE(tracker_->peer_is_lost(at(3'000'000'501)));
}

TEST_F(MessageTrackerTest, ATimeoutLongerThanThreeSecondsIsWaitedFor) {
  tracker_ = std::make_unique<MessageTracker>(Duration::from_s(10));
  send(0);
  EXPECT_FALSE(tracker_->peer_is_lost(at(10'000'000'000)));
  EXPECT_TRUE(tracker_->peer_is_lost(at(10'000'000'001)));
}

TEST_F(MessageTrackerTest, SilenceCountsOnlyWhileSomethingIsWaitedFor) {
  send(0);
  EXPECT_EQ(kind_of(0, 10), MatchKind::answered);
  EXPECT_FALSE(tracker_->peer_is_lost(at(60'000'000'000)));
  send(60'000'000'000);
  EXPECT_FALSE(tracker_->peer_is_lost(at(60'000'000'001)));
}

// One message every five seconds, one of them lost: nobody was asked anything for most of the time.
TEST_F(MessageTrackerTest, OneLossInASlowScheduleDoesNotLoseThePeer) {
  send(0);
  EXPECT_EQ(tracker_->expire(at(1'000)), 1U);
  EXPECT_FALSE(tracker_->peer_is_lost(at(5'000'000'000)));
  send(5'000'000'000);
  EXPECT_FALSE(tracker_->peer_is_lost(at(5'000'000'500)));
  EXPECT_EQ(kind_of(1, 5'000'000'600), MatchKind::answered);
}

// Rate 10 MHz: ten in a row are lost, 90 later ones are answered before those ten are overdue.
TEST_F(MessageTrackerTest, ALostBurstDoesNotLoseAPeerThatHasAnsweredSince) {
  for (int i = 0; i < 10; ++i) {
    send(i);
  }
  for (std::uint64_t i = 10; i < 100; ++i) {
    ASSERT_EQ(kind_of(send(100), 200), MatchKind::answered);
  }
  EXPECT_EQ(tracker_->expire(at(1'100)), 10U);
  EXPECT_FALSE(tracker_->peer_is_lost(at(1'100)));
}

TEST_F(MessageTrackerTest, MatchesTheOldestInTimeAtOnce) {
  EXPECT_EQ(tracker_->match_oldest(0, at(0)), nullptr) << "nothing was sent";
  EXPECT_EQ(tracker_->last_send(), Instant{});
  send(100);
  send(110);
  EXPECT_EQ(tracker_->last_send(), at(110));
  EXPECT_EQ(tracker_->match_oldest(1, at(200)), nullptr) << "not the oldest";
  EXPECT_EQ(tracker_->match_oldest(2, at(200)), nullptr) << "not sent";
  EXPECT_EQ(tracker_->outstanding(), 2U) << "nothing has changed";
  const SentMessage* const first = tracker_->match_oldest(0, at(200));
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->send, at(100));
  EXPECT_EQ(tracker_->outstanding(), 1U);
  EXPECT_EQ(tracker_->first_timeout(), at(1'110)) << "of the next one";
  EXPECT_EQ(tracker_->match_oldest(0, at(200)), nullptr) << "answered";
  EXPECT_EQ(kind_of(0, 200), MatchKind::duplicate);
  ASSERT_NE(tracker_->match_oldest(1, at(200)), nullptr);
  EXPECT_EQ(tracker_->match_oldest(1, at(200)), nullptr) << "answered, with nothing outstanding";
  EXPECT_EQ(tracker_->outstanding(), 0U);
}

TEST_F(MessageTrackerTest, LeavesWhatIsLateOrOvertakenToTheOtherMatch) {
  send(100);
  EXPECT_EQ(tracker_->match_oldest(0, at(1'100)), nullptr) << "late";
  EXPECT_EQ(kind_of(0, 1'100), MatchKind::late);
  send(2'000);
  send(2'000);
  EXPECT_EQ(kind_of(2, 2'010), MatchKind::answered);
  EXPECT_EQ(tracker_->match_oldest(1, at(2'020)), nullptr) << "overtaken";
  EXPECT_TRUE(tracker_->match(1, at(2'020)).reordered);
}

}  // namespace
}  // namespace rtecho

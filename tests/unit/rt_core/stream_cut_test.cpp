#include "rt_core/stream_cut.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace rtecho {
namespace {

// Feeds the bytes 0, 1, 2, … in pieces and checks that every message continues where the last one ended.
class Feeder {
 public:
  Feeder(std::size_t message_bytes, std::size_t memory_bytes)
      : message_bytes_(message_bytes), memory_(memory_bytes), cut_(memory_, message_bytes) {}

  // As a reader does: at most what the room allows at a time, and all messages taken after each read.
  void feed(std::size_t bytes) {
    while (bytes > 0) {
      const std::span<std::byte> room = cut_.writable();
      ASSERT_FALSE(room.empty());
      const std::size_t taken = bytes < room.size() ? bytes : room.size();
      for (std::byte& b : room.first(taken)) {
        b = static_cast<std::byte>(next_in_++);
      }
      cut_.commit(taken);
      bytes -= taken;
      take_all();
    }
  }

  std::size_t messages = 0;
  [[nodiscard]] std::size_t pending() const { return cut_.pending(); }

 private:
  void take_all() {
    for (std::span<std::byte> message = cut_.next(); !message.empty(); message = cut_.next()) {
      ASSERT_EQ(message.size(), message_bytes_);
      for (const std::byte b : message) {
        ASSERT_EQ(b, static_cast<std::byte>(next_out_++));
      }
      ++messages;
    }
  }

  std::size_t message_bytes_;
  std::vector<std::byte> memory_;
  StreamCut cut_;
  std::uint8_t next_in_ = 0;
  std::uint8_t next_out_ = 0;
};

TEST(StreamCut, HasNothingAtFirst) {
  std::array<std::byte, 7> memory{};
  StreamCut cut(memory, 4);
  EXPECT_TRUE(cut.next().empty());
  EXPECT_EQ(cut.pending(), 0U);
  EXPECT_EQ(cut.writable().size(), 7U);
}

TEST(StreamCut, CompletesAMessageAtEverySplit) {
  for (std::size_t split = 0; split <= 10; ++split) {
    Feeder feeder(10, 19);
    for (int i = 0; i < 20; ++i) {  // the same split again and again walks through the memory
      feeder.feed(split);
      EXPECT_EQ(feeder.pending(), split % 10);
      feeder.feed(10 - split);
      EXPECT_EQ(feeder.pending(), 0U);
    }
    EXPECT_EQ(feeder.messages, 20U) << "split after " << split;
  }
}

TEST(StreamCut, CompletesTwoMessagesAtEveryPairOfSplits) {
  for (std::size_t first = 0; first <= 14; ++first) {
    for (std::size_t second = first; second <= 14; ++second) {
      Feeder feeder(7, 13);
      feeder.feed(first);
      feeder.feed(second - first);
      feeder.feed(14 - second);
      EXPECT_EQ(feeder.messages, 2U) << first << ", " << second;
      EXPECT_EQ(feeder.pending(), 0U);
    }
  }
}

TEST(StreamCut, CutsByteMessagesInOneByteOfMemory) {
  Feeder feeder(1, 1);
  feeder.feed(300);
  EXPECT_EQ(feeder.messages, 300U);
}

TEST(StreamCut, SurvivesRandomPieces) {
  std::mt19937_64 random(11);
  for (const std::size_t memory_bytes : {63U, 64U, 100U, 1'000U}) {
    Feeder feeder(32, memory_bytes);
    std::size_t fed = 0;
    while (fed < 32'000) {
      std::size_t piece = random() % 97;
      piece = piece < 32'000 - fed ? piece : 32'000 - fed;
      feeder.feed(piece);
      fed += piece;
    }
    EXPECT_EQ(feeder.messages, 1'000U);
    EXPECT_EQ(feeder.pending(), 0U);
  }
}

TEST(StreamCut, CountsCompleteMessagesThatWereNotTakenAsPending) {
  std::array<std::byte, 8> memory{};
  StreamCut cut(memory, 3);
  cut.commit(7);
  EXPECT_EQ(cut.pending(), 7U);
  (void)cut.next();
  EXPECT_EQ(cut.pending(), 4U);
}

TEST(StreamCut, TrapsWhereMoreIsCommittedThanFits) {
  std::array<std::byte, 5> memory{};
  StreamCut cut(memory, 3);
  EXPECT_DEATH_IF_SUPPORTED(cut.commit(6), "");
}

TEST(StreamCut, TrapsOnMemoryTooSmallToGoOn) {
  std::array<std::byte, 5> memory{};
  EXPECT_DEATH_IF_SUPPORTED(StreamCut(std::span<std::byte>(memory).first(4), 3), "");
  EXPECT_DEATH_IF_SUPPORTED(StreamCut(memory, 0), "");
}

}  // namespace
}  // namespace rtecho

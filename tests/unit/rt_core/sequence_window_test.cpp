#include "rt_core/sequence_window.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>

namespace rtecho {
namespace {

class SequenceWindowTest : public testing::Test {
 protected:
  bool mark(std::uint64_t sequence) { return window_->mark(sequence) == Sighting::fresh; }
  std::unique_ptr<SequenceWindow> window_ = std::make_unique<SequenceWindow>();
};

TEST_F(SequenceWindowTest, TellsANumberSeenFromANewOne) {
  EXPECT_EQ(window_->next(), 0U);
  EXPECT_TRUE(mark(0));
  EXPECT_FALSE(mark(0));
  EXPECT_EQ(window_->next(), 1U);
  EXPECT_TRUE(mark(5));
  EXPECT_TRUE(mark(3)) << "overtaken, but new";
  EXPECT_FALSE(mark(3));
  EXPECT_FALSE(mark(5));
  EXPECT_EQ(window_->next(), 6U);
}

TEST_F(SequenceWindowTest, CrossesWordBoundariesForwardAndBack) {
  for (const std::uint64_t sequence : {63U, 64U, 62U, 65U, 127U, 128U, 126U, 0U, 1U}) {
    EXPECT_TRUE(mark(sequence)) << sequence;
    EXPECT_FALSE(mark(sequence)) << sequence;
  }
}

TEST_F(SequenceWindowTest, ForgetsWhatItsWordIsUsedForAgain) {
  EXPECT_TRUE(mark(0));
  EXPECT_TRUE(mark(65'536)) << "the same bit as 0";
  EXPECT_FALSE(mark(65'536));
  EXPECT_FALSE(mark(0)) << "too old: counts as seen";
}

TEST_F(SequenceWindowTest, RemembersExactly65472Numbers) {
  EXPECT_TRUE(mark(65'000));
  EXPECT_TRUE(mark(100'000));  // next is 100001
  EXPECT_TRUE(mark(100'001 - 65'472));
  EXPECT_FALSE(mark(100'001 - 65'473));
}

// Numbers in order are only counted at first: what came of them must show as soon as one is asked for.
TEST_F(SequenceWindowTest, KnowsALongRunInOrderWhenOneOfItComesAgain) {
  for (std::uint64_t sequence = 0; sequence < 200'010; ++sequence) {
    ASSERT_TRUE(mark(sequence));
  }
  for (std::uint64_t back = 1; back <= 65'472; ++back) {
    ASSERT_FALSE(mark(200'010 - back)) << back;
  }
  EXPECT_TRUE(mark(200'020)) << "ten are missing";
  EXPECT_TRUE(mark(200'010));
  EXPECT_TRUE(mark(200'019));
  EXPECT_FALSE(mark(200'009));
  EXPECT_FALSE(mark(200'020));
}

TEST_F(SequenceWindowTest, RefusesANumberAWholeRingAheadAndKeepsItsPlace) {
  EXPECT_TRUE(mark(0));
  EXPECT_EQ(window_->mark(65'537), Sighting::too_far_ahead);
  EXPECT_EQ(window_->mark(~std::uint64_t{0}), Sighting::too_far_ahead);
  EXPECT_EQ(window_->next(), 1U);
  EXPECT_EQ(window_->mark(0), Sighting::repeated);
  EXPECT_EQ(window_->mark(65'536), Sighting::fresh) << "one less is not too far";
}

TEST_F(SequenceWindowTest, AgreesWithASetOnRandomNumbers) {
  std::mt19937_64 random(3);
  std::set<std::uint64_t> seen;
  std::uint64_t next = 0;
  for (int i = 0; i < 300'000; ++i) {
    std::uint64_t sequence = 0;
    switch (random() % 16) {
      case 0:  // a jump: mostly small, now and then as far as the whole ring
        sequence = next + random() % (random() % 64 == 0 ? 65'536U : 500U);
        break;
      case 1:
      case 2:
      case 3:  // back, up to beyond the window
        sequence = next - (next < 70'000 ? random() % (next + 1) : random() % 70'000);
        break;
      case 4:  // back to a word boundary
        sequence = (next - (next < 1'000 ? 0 : random() % 1'000)) / 64 * 64;
        break;
      default:
        sequence = next;
    }
    const bool is_too_old = sequence < next && next - sequence > 65'472;
    const bool is_new = !is_too_old && seen.insert(sequence).second;
    ASSERT_EQ(mark(sequence), is_new) << "number " << sequence << " with " << next << " next, step " << i;
    next = sequence >= next ? sequence + 1 : next;
    ASSERT_EQ(window_->next(), next);
    if (seen.size() > 70'000) {
      seen.erase(seen.begin(), seen.lower_bound(next < 70'000 ? 0 : next - 70'000));
    }
  }
}

}  // namespace
}  // namespace rtecho

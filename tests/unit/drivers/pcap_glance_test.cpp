#include "drivers/pcap_glance.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace rtecho::drivers {
namespace {

// Three blocks of 100 bytes with three slots of 32 bytes each: four bytes at the end of a block are nobody's.
class PcapGlanceOfARing : public testing::Test {
 protected:
  static constexpr std::size_t block_bytes = 100;
  static constexpr std::size_t slot_bytes = 32;
  static constexpr std::size_t slots = 9;

  std::byte* slot(std::size_t index) { return ring_.data() + index % slots / 3 * block_bytes + index % 3 * slot_bytes; }
  // The kernel's part, and libpcap's.
  void fill(std::size_t index) { slot(index)[0] = std::byte{1}; }
  void hand_over(std::size_t index) {
    glance_.note_frame(slot(index) + 20);
    slot(index)[0] = std::byte{0};
  }

  alignas(8) std::array<std::byte, 3 * block_bytes> ring_{};
  PcapGlance glance_{PcapGlance::Ring{ring_.data(), block_bytes, 3, slot_bytes}};
};

TEST(PcapGlance, AlwaysLooksWithoutARing) {
  PcapGlance glance;
  std::array<std::byte, 64> frame{};
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_TRUE(glance.may_have_frame());
    glance.note_frame(frame.data());
  }
  EXPECT_FALSE(glance.is_in_step());
}

TEST(PcapGlance, RefusesARingThatCannotBe) {
  std::array<std::byte, 64> memory{};
  for (const PcapGlance::Ring& ring :
       {PcapGlance::Ring{memory.data(), 64, 1, 0}, PcapGlance::Ring{memory.data(), 64, 1, 65},
        PcapGlance::Ring{memory.data(), 64, 1, 2}}) {
    PcapGlance glance(ring);
    glance.note_frame(memory.data() + 1);
    EXPECT_FALSE(glance.is_in_step());
    EXPECT_TRUE(glance.may_have_frame());
  }
}

TEST_F(PcapGlanceOfARing, LooksUntilTheFirstFrameHasCome) {
  EXPECT_TRUE(glance_.may_have_frame());
  EXPECT_TRUE(glance_.may_have_frame());
  hand_over(0);
  EXPECT_TRUE(glance_.is_in_step());
  EXPECT_FALSE(glance_.may_have_frame());
}

TEST_F(PcapGlanceOfARing, FollowsTheRingRoundAndRound) {
  hand_over(4);  // libpcap need not begin at the first slot
  for (std::size_t next = 5; next < 100; ++next) {
    EXPECT_FALSE(glance_.may_have_frame()) << next;
    fill(next);
    EXPECT_TRUE(glance_.may_have_frame()) << next;
    hand_over(next);
  }
}

TEST_F(PcapGlanceOfARing, FollowsSeveralFramesOfOneLook) {
  hand_over(0);
  for (std::size_t next = 1; next < 90; next += 4) {
    for (std::size_t i = 0; i < 4; ++i) {
      fill(next + i);
    }
    EXPECT_TRUE(glance_.may_have_frame());
    for (std::size_t i = 0; i < 4; ++i) {
      hand_over(next + i);
    }
    EXPECT_FALSE(glance_.may_have_frame());
  }
}

// libpcap has thrown away the frame of slot 1 without a word.
TEST_F(PcapGlanceOfARing, ComesBackIntoStepWithTheNextRealLook) {
  hand_over(0);
  fill(2);
  std::uint32_t spared = 0;
  while (!glance_.may_have_frame()) {
    ++spared;
    ASSERT_LT(spared, PcapGlance::looks_per_real_one);
  }
  hand_over(2);
  EXPECT_FALSE(glance_.may_have_frame());
  fill(3);
  EXPECT_TRUE(glance_.may_have_frame());
}

TEST_F(PcapGlanceOfARing, LooksReallyNowAndThen) {
  hand_over(0);
  for (int round = 0; round < 3; ++round) {
    std::uint32_t looks = 1;
    while (!glance_.may_have_frame()) {
      ++looks;
    }
    EXPECT_EQ(looks, PcapGlance::looks_per_real_one);
  }
}

TEST_F(PcapGlanceOfARing, LooksReallyWhenItIsTold) {
  hand_over(0);
  EXPECT_FALSE(glance_.may_have_frame());
  glance_.distrust();
  EXPECT_TRUE(glance_.may_have_frame());
  EXPECT_FALSE(glance_.may_have_frame());
}

TEST_F(PcapGlanceOfARing, LosesItsStepOutsideTheRing) {
  hand_over(0);
  std::array<std::byte, 64> elsewhere{};
  glance_.note_frame(elsewhere.data());
  EXPECT_FALSE(glance_.is_in_step());
  EXPECT_TRUE(glance_.may_have_frame());
  glance_.note_frame(ring_.data() + 98);  // of no slot
  EXPECT_FALSE(glance_.is_in_step());
  hand_over(3);
  EXPECT_TRUE(glance_.is_in_step());
}

}  // namespace
}  // namespace rtecho::drivers

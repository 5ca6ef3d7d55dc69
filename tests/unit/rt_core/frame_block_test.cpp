#include "rt_core/frame_block.hpp"

#include <gtest/gtest.h>

#include <array>

namespace rtecho {
namespace {

TEST(FrameBlock, RoundsSlotsUpToCacheLines) {
  EXPECT_EQ(FrameBlock::bytes_for(0, 100), 0U);
  EXPECT_EQ(FrameBlock::bytes_for(3, 1), 192U);
  EXPECT_EQ(FrameBlock::bytes_for(3, 64), 192U);
  EXPECT_EQ(FrameBlock::bytes_for(3, 65), 384U);
}

TEST(FrameBlock, CutsTheMemoryWithoutOverlap) {
  alignas(64) std::array<std::byte, 384> memory{};
  const FrameBlock block(memory, 3, 100);
  EXPECT_EQ(block.slots(), 3U);
  EXPECT_EQ(block.slot_bytes(), 128U);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(block.slot(i).size(), 128U);
    EXPECT_EQ(block.slot(i).data(), memory.data() + 128 * i);
  }
}

TEST(FrameBlock, TrapsBeyondTheLastSlot) {
  alignas(64) std::array<std::byte, 128> memory{};
  const FrameBlock block(memory, 2, 64);
  EXPECT_DEATH_IF_SUPPORTED((void)block.slot(2), "");
}

TEST(FrameBlock, TrapsOnMemoryThatIsTooSmallOrNotAligned) {
  alignas(64) std::array<std::byte, 256> memory{};
  const std::span<std::byte> all(memory);
  EXPECT_DEATH_IF_SUPPORTED(FrameBlock(all.first(255), 2, 65), "");
  EXPECT_DEATH_IF_SUPPORTED(FrameBlock(all.subspan(32), 1, 64), "");
}

TEST(FramePool, RefusesWhenEmpty) {
  FramePool<4> none(0);
  EXPECT_FALSE(none.take().has_value());
  FramePool<4> one(1);
  EXPECT_EQ(one.take(), 0U);
  EXPECT_FALSE(one.take().has_value());
}

TEST(FramePool, HandsEverySlotOutOnce) {
  FramePool<8> pool(8);
  EXPECT_EQ(pool.free(), 8U);
  for (std::uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(pool.take(), i) << "in order, so that a short run stays in few pages";
  }
  EXPECT_EQ(pool.free(), 0U);
}

TEST(FramePool, HandsOutTheLastFreedFirst) {
  FramePool<8> pool(8);
  for (int i = 0; i < 4; ++i) {
    (void)pool.take();
  }
  pool.give_back(1);
  pool.give_back(3);
  EXPECT_EQ(pool.free(), 6U);
  EXPECT_EQ(pool.take(), 3U);
  EXPECT_EQ(pool.take(), 1U);
  EXPECT_EQ(pool.take(), 4U);
}

TEST(FramePool, TrapsOnMoreSlotsThanItWasBuiltFor) {
  EXPECT_DEATH_IF_SUPPORTED(FramePool<4>(5), "");
}

TEST(FramePool, TrapsWhenMoreComesBackThanWasTaken) {
  FramePool<4> full(4);
  EXPECT_DEATH_IF_SUPPORTED(full.give_back(0), "");
}

TEST(FramePool, TrapsWhenMoreComesBackThanThereAreSlots) {
  FramePool<4> half(2);
  EXPECT_DEATH_IF_SUPPORTED(half.give_back(0), "") << "its own slots count, not its capacity";
}

}  // namespace
}  // namespace rtecho

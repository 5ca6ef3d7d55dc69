#include "drivers/frame_checks.hpp"

#include <gtest/gtest.h>

#include <array>

#include "hand_made_frames.hpp"

namespace rtecho::drivers {
namespace {

using test::Frame;

struct Seen {
  std::vector<std::uint32_t> tags{};        // in the frame
  std::optional<std::uint16_t> stripped{};  // out of it
};

bool is_taken(const Seen& seen, const std::optional<VlanTag>& tag) {
  Frame bytes = test::RawFields{.link = {.tags = seen.tags}}.frame();
  const FrameArrival arrival{
      .bytes = bytes, .tag_was_stripped = seen.stripped.has_value(), .stripped_tag = seen.stripped.value_or(0)};
  const auto frame = EthernetView::of(bytes);
  return frame && is_of_vlan(arrival, *frame, tag) && frame->type() == ether_type::echo;
}

TEST(IsOfVlan, TakesUntaggedFramesWhereNoTagIsPlanned) {
  EXPECT_TRUE(is_taken({}, std::nullopt));
  EXPECT_TRUE(is_taken({.tags = {0x8100'E000}}, std::nullopt)) << "a priority makes no VLAN";
  EXPECT_TRUE(is_taken({.tags = {}, .stripped = 0xE000}, std::nullopt));
  EXPECT_FALSE(is_taken({.tags = {0x8100'0001}}, std::nullopt));
  EXPECT_FALSE(is_taken({.tags = {}, .stripped = 0x0001}, std::nullopt));
}

TEST(IsOfVlan, TakesThePlannedIdOnlyWhereverItsTagIs) {
  constexpr VlanTag tag{100, 3};
  for (std::uint16_t id = 0; id <= 4'095; ++id) {
    const bool is_ours = id == 100;
    ASSERT_EQ(is_taken({.tags = {0x8100'0000U | id}}, tag), is_ours) << id;
    ASSERT_EQ(is_taken({.tags = {0x8100'F000U | id}}, tag), is_ours) << id << ", whatever its priority";
    ASSERT_EQ(is_taken({.tags = {}, .stripped = id}, tag), is_ours) << id;
  }
  EXPECT_FALSE(is_taken({}, tag)) << "no tag is another VLAN";
}

TEST(IsOfVlan, TakesNoFrameOfTwoTags) {
  for (const std::optional<VlanTag>& tag : {std::optional<VlanTag>{}, std::optional<VlanTag>{VlanTag{100, 0}}}) {
    for (const std::uint16_t id : {std::uint16_t{0}, std::uint16_t{100}}) {
      EXPECT_FALSE(is_taken({.tags = {0x8100'0000U | id, 0x8100'0000U | id}}, tag));
      EXPECT_FALSE(is_taken({.tags = {0x88A8'0000U | id, 0x8100'0000U | id}}, tag));
      EXPECT_FALSE(is_taken({.tags = {0x8100'0000U | id, 0x88A8'0000U | id}}, tag));
      EXPECT_FALSE(is_taken({.tags = {0x88A8'0000U | id}}, tag));
      EXPECT_FALSE(is_taken({.tags = {0x8100'0000U | id}, .stripped = id}, tag));
      EXPECT_FALSE(is_taken({.tags = {0x88A8'0000U | id}, .stripped = id}, tag));
    }
  }
}

TEST(FitsInFront, EndsAtTheHeadroom) {
  std::array<std::byte, 64> memory{};
  const FrameArrival arrival{.bytes = std::span(memory).subspan(8)};
  const std::byte* const content = arrival.bytes.data() + 14;
  EXPECT_TRUE(fits_in_front(arrival, content, 14, 0));
  EXPECT_FALSE(fits_in_front(arrival, content, 15, 0));
  EXPECT_TRUE(fits_in_front(arrival, content, 18, 4));
  EXPECT_FALSE(fits_in_front(arrival, content, 19, 4));
  EXPECT_TRUE(fits_in_front(arrival, arrival.bytes.data(), 0, 0));
  EXPECT_FALSE(fits_in_front(arrival, arrival.bytes.data(), 1, 0));
}

}  // namespace
}  // namespace rtecho::drivers

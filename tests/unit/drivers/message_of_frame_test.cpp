#include "drivers/message_of_frame.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace rtecho::drivers {
namespace {

using Frame = std::vector<std::byte>;

Frame frame_of(std::uint16_t type, std::size_t payload_bytes, std::optional<VlanTag> tag = {}) {
  const EthernetHeader header{.destination = {}, .source = {}, .tag = tag, .type = type};
  Frame frame(header.bytes() + payload_bytes);
  header.emit(frame);
  return frame;
}

// 1 byte of message, then padding.
Frame raw_frame(std::optional<VlanTag> tag = {}) {
  Frame frame = frame_of(ether_type::echo, 46, tag);
  const std::size_t header_bytes = tag ? 18 : 14;
  frame[header_bytes + 1] = std::byte{1};
  frame[header_bytes + 2] = std::byte{0x77};
  return frame;
}

// 3 bytes of message, then padding.
Frame udp_frame(std::optional<VlanTag> tag = {}) {
  Frame frame = frame_of(ether_type::ipv4, 46, tag);
  const auto ip = std::span(frame).subspan(tag ? 18 : 14);
  ip[0] = std::byte{0x45};
  ip[3] = std::byte{31};
  ip[6] = std::byte{0x40};  // must not be fragmented
  ip[9] = std::byte{17};
  ip[25] = std::byte{11};
  ip[28] = std::byte{0x77};
  return frame;
}

TEST(MessageOfFrame, IsFoundWithAndWithoutATag) {
  for (const std::optional<VlanTag> tag : {std::optional<VlanTag>(), std::optional(VlanTag{5, 3})}) {
    const std::size_t header_bytes = tag ? 18 : 14;
    const Frame raw = raw_frame(tag);
    const auto raw_message = message_of_frame(raw);
    ASSERT_EQ(raw_message.size(), 1U);
    EXPECT_EQ(raw_message.data(), raw.data() + header_bytes + 2);
    const Frame udp = udp_frame(tag);
    const auto udp_message = message_of_frame(udp);
    ASSERT_EQ(udp_message.size(), 3U);
    EXPECT_EQ(udp_message.data(), udp.data() + header_bytes + 28);
  }
}

TEST(MessageOfFrame, IsNotFoundWhereTheFrameEndsBefore) {
  for (const std::optional<VlanTag> tag : {std::optional<VlanTag>(), std::optional(VlanTag{5, 3})}) {
    const std::size_t header_bytes = tag ? 18 : 14;
    for (std::size_t bytes = 0; bytes < header_bytes + 3; ++bytes) {
      const Frame frame = raw_frame(tag);
      EXPECT_TRUE(message_of_frame(Frame(frame.begin(), frame.begin() + static_cast<long>(bytes))).empty()) << bytes;
    }
    for (std::size_t bytes = 0; bytes < header_bytes + 31; ++bytes) {
      const Frame frame = udp_frame(tag);
      EXPECT_TRUE(message_of_frame(Frame(frame.begin(), frame.begin() + static_cast<long>(bytes))).empty()) << bytes;
    }
  }
}

TEST(MessageOfFrame, IsOnlyInFramesOfOurKinds) {
  for (const std::uint16_t type : {std::uint16_t{0x88B6}, ether_type::arp, ether_type::service_vlan}) {
    EXPECT_TRUE(message_of_frame(frame_of(type, 46)).empty());
    EXPECT_TRUE(message_of_frame(frame_of(type, 46, VlanTag{5})).empty());
  }
  EXPECT_TRUE(message_of_frame(frame_of(ether_type::echo, 46)).empty()) << "a length of 0";
}

// Every bit on which it depends whether there is a message, and how long it is, is looked at.
TEST(MessageOfFrame, IsNotFoundBehindHeadersThatSaySomethingElse) {
  for (std::size_t bit = 12 * 8; bit < 42 * 8; ++bit) {
    Frame frame = udp_frame();
    frame[bit / 8] ^= std::byte{0x80} >> (bit % 8);
    const std::size_t offset = bit / 8 - 14;  // in the packet; huge in the EtherType
    const bool is_looked_at = offset > 46 || offset == 0 || offset == 2 || offset == 3 || offset == 7 || offset == 9 ||
                              offset == 24 || offset == 25 || (offset == 6 && bit % 8 >= 2);
    EXPECT_EQ(message_of_frame(frame).empty(), is_looked_at) << "byte " << bit / 8 << " bit " << bit % 8;
  }
}

}  // namespace
}  // namespace rtecho::drivers

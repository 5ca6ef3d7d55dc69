#include "rt_core/ethernet.hpp"

#include <gtest/gtest.h>

#include "wire_samples.hpp"

namespace rtecho {
namespace {

using test::Bytes;
using test::from_hex;

MacAddress mac_of(std::string_view hex) {
  return load_mac(from_hex(hex), 0);
}

TEST(MacAddress, TellsStationsFromGroups) {
  EXPECT_TRUE(MacAddress{}.is_zero());
  EXPECT_FALSE(MacAddress{}.is_station());
  EXPECT_TRUE(mac_of("020000000001").is_station());
  EXPECT_FALSE(mac_of("020000000001").is_multicast());
  EXPECT_TRUE(mac_of("000000000001").is_station());
  EXPECT_TRUE(mac_of("01005e000001").is_multicast());
  EXPECT_FALSE(mac_of("01005e000001").is_station());
  EXPECT_TRUE(MacAddress::broadcast().is_multicast());
  EXPECT_EQ(MacAddress::broadcast(), mac_of("ffffffffffff"));
}

TEST(MacAddress, IsStoredWhereItWasLoaded) {
  Bytes bytes = from_hex("00 112233445566 77");
  EXPECT_EQ(load_mac(bytes, 1), mac_of("112233445566"));
  store_mac(bytes, 2, mac_of("aabbccddeeff"));
  EXPECT_EQ(bytes, from_hex("00 11aabbccddeeff"));
  EXPECT_DEATH_IF_SUPPORTED((void)load_mac(bytes, 3), "");
  EXPECT_DEATH_IF_SUPPORTED(store_mac(bytes, ~std::size_t{0}, MacAddress{}), "");
}

TEST(VlanTag, KeepsIdAndPriority) {
  static_assert(VlanTag{4'094, 7}.control() == 0xEFFE);
  static_assert(VlanTag{1, 0}.control() == 0x0001);
  static_assert(VlanTag::from_control(0xFFFE) == VlanTag{4'094, 7}, "the drop-eligible bit says nothing");
  for (std::uint32_t control = 0; control <= 0xFFFF; ++control) {
    ASSERT_EQ(VlanTag::from_control(static_cast<std::uint16_t>(control)).control(), control & 0xEFFFU);
  }
}

TEST(EthernetHeader, EmitsTheBytesOfAKnownFrame) {
  Bytes frame(20, std::byte{0xEE});
  const EthernetHeader plain{mac_of("020000000002"), mac_of("020000000001"), std::nullopt, ether_type::echo};
  ASSERT_EQ(plain.bytes(), 14U);
  plain.emit(frame);
  EXPECT_EQ(frame, from_hex("020000000002 020000000001 88b5 eeeeeeeeeeee"));
  const EthernetHeader tagged{mac_of("020000000002"), mac_of("020000000001"), VlanTag{100, 5}, ether_type::ipv4};
  ASSERT_EQ(tagged.bytes(), 18U);
  tagged.emit(frame);
  EXPECT_EQ(frame, from_hex("020000000002 020000000001 8100 a064 0800 eeee"));
}

TEST(EthernetView, ReadsAPlainFrame) {
  Bytes frame = from_hex("020000000002 020000000001 88b5 1234");
  const auto view = EthernetView::of(frame);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->destination(), mac_of("020000000002"));
  EXPECT_EQ(view->source(), mac_of("020000000001"));
  EXPECT_EQ(view->type(), 0x88B5U);
  EXPECT_FALSE(view->tag());
  EXPECT_EQ(view->header_bytes(), 14U);
  EXPECT_EQ(view->payload().data(), frame.data() + 14);
  EXPECT_EQ(view->payload().size(), 2U);
}

TEST(EthernetView, ReadsATaggedFrame) {
  Bytes frame = from_hex("020000000002 020000000001 8100 b064 0800 1234");
  const auto view = EthernetView::of(frame);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->type(), 0x0800U);
  EXPECT_EQ(view->tag(), (VlanTag{100, 5}));
  EXPECT_EQ(view->header_bytes(), 18U);
  EXPECT_EQ(view->payload().size(), 2U);
}

TEST(EthernetView, DoesNotLookThroughASecondTag) {
  for (const char* hex :
       {"020000000002 020000000001 8100 0064 8100 0065 0800", "020000000002 020000000001 8100 0064 88a8 0065 0800"}) {
    Bytes frame = from_hex(hex);
    const auto view = EthernetView::of(frame);
    ASSERT_TRUE(view);
    EXPECT_TRUE(view->type() == ether_type::vlan || view->type() == ether_type::service_vlan);
  }
  Bytes provider = from_hex("020000000002 020000000001 88a8 0064 0800");
  EXPECT_EQ(EthernetView::of(provider)->type(), ether_type::service_vlan);
  EXPECT_FALSE(EthernetView::of(provider)->tag());
}

TEST(EthernetView, IsAbsentWhereTheHeaderIsCut) {
  const Bytes plain = from_hex("020000000002 020000000001 88b5");
  for (std::size_t length = 0; length < 14; ++length) {
    Bytes cut(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(length));
    ASSERT_FALSE(EthernetView::of(cut)) << length;
  }
  const Bytes tagged = from_hex("020000000002 020000000001 8100 0064 0800");
  for (std::size_t length = 14; length < 18; ++length) {
    Bytes cut(tagged.begin(), tagged.begin() + static_cast<std::ptrdiff_t>(length));
    ASSERT_FALSE(EthernetView::of(cut)) << length;
  }
  Bytes whole = tagged;
  ASSERT_TRUE(EthernetView::of(whole));
  EXPECT_TRUE(EthernetView::of(whole)->payload().empty());
}

}  // namespace
}  // namespace rtecho

#include "drivers/mac_text.hpp"

#include <gtest/gtest.h>

namespace rtecho::drivers {
namespace {

constexpr MacAddress::Bytes bytes{std::byte{0x02}, std::byte{0x00}, std::byte{0x5E},
                                  std::byte{0x10}, std::byte{0xAB}, std::byte{0xFF}};

TEST(MacText, IsSixPairsOfSmallDigits) {
  EXPECT_EQ(mac_text(MacAddress(bytes)), "02:00:5e:10:ab:ff");
  EXPECT_EQ(mac_text(MacAddress{}), "00:00:00:00:00:00");
  EXPECT_EQ(mac_text(MacAddress::broadcast()), "ff:ff:ff:ff:ff:ff");
}

TEST(MacText, IsReadAsItIsWritten) {
  EXPECT_EQ(parse_mac("02:00:5e:10:ab:ff"), MacAddress(bytes));
  EXPECT_EQ(parse_mac("02:00:5E:10:AB:FF"), MacAddress(bytes));
}

TEST(MacText, RefusesEveryOtherSpelling) {
  for (const char* const text :
       {"", ":", "02:00:5e:10:ab", "02:00:5e:10:ab:f", "02:00:5e:10:ab:ff:", "02:00:5e:10:ab:ff:01", "2:0:5e:10:ab:ff",
        "02-00-5e-10-ab-ff", "0200.5e10.abff", "02:00:5e:10:ab:fg", "0x:00:5e:10:ab:ff", "+2:00:5e:10:ab:ff",
        " 2:00:5e:10:ab:ff", "02:00:5e:10:ab ff", "02:00:5e:10:abcff", "-1:00:5e:10:ab:ff", "2 :00:5e:10:ab:ff"}) {
    EXPECT_FALSE(parse_mac(text)) << text;
  }
}

}  // namespace
}  // namespace rtecho::drivers

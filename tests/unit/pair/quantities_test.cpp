#include "quantities.hpp"

#include <gtest/gtest.h>

namespace rtecho::pair {
namespace {

TEST(ParseDuration, ReadsEveryUnitAndDecimals) {
  EXPECT_EQ(parse_duration("250us")->ns(), 250'000);
  EXPECT_EQ(parse_duration("500ms")->ns(), 500'000'000);
  EXPECT_EQ(parse_duration("60s")->ns(), 60'000'000'000);
  EXPECT_EQ(parse_duration("1.5m")->ns(), 90'000'000'000);
  EXPECT_EQ(parse_duration("2h")->ns(), 7'200'000'000'000);
  EXPECT_EQ(parse_duration("3")->ns(), 3'000'000'000) << "a bare number is seconds";
}

TEST(ParseDuration, RefusesWhatIsNoLengthOfTime) {
  for (const char* text : {"", "s", "1 s", "0", "-1s", "1d", "nan", "inf", "1e40s", "9000h", "1ss"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(ParseSizes, KeepsTheOrderThatWasGiven) {
  EXPECT_EQ(*parse_sizes("1024,1,64", Protocol::udp), (std::vector<std::uint32_t>{1024, 1, 64}));
  EXPECT_EQ(*parse_sizes("65535", Protocol::tcp), (std::vector<std::uint32_t>{65'535}));
}

TEST(ParseSizes, KnowsThePublishedSizesOfBothProtocols) {
  const auto udp = *parse_sizes("rtx", Protocol::udp);
  const auto tcp = *parse_sizes("rtx", Protocol::tcp);
  EXPECT_EQ(udp.size(), 12U);
  EXPECT_EQ(udp.back(), 40'960U);
  EXPECT_EQ(tcp.size(), 13U);
  EXPECT_EQ(tcp.back(), 65'535U);
}

TEST(ParseSizes, RefusesAMalformedList) {
  for (const char* text : {"", ",", "64,", ",64", "0", "64,0", "65536", "-1", "64;128", "rtx,64", "0x40", "6 4"}) {
    EXPECT_FALSE(parse_sizes(text, Protocol::udp)) << text;
  }
}

TEST(HexText, GoesThereAndBackInSixteenDigits) {
  EXPECT_EQ(hex_text(0), "0000000000000000");
  EXPECT_EQ(hex_text(0xFEDC'BA98'7654'3210), "fedcba9876543210");
  EXPECT_EQ(parse_hex("fedcba9876543210"), 0xFEDC'BA98'7654'3210U);
  for (const char* text : {"", "0", "fedcba987654321", "fedcba98765432100", "fedcba987654321g", "-edcba9876543210"}) {
    EXPECT_FALSE(parse_hex(text)) << text;
  }
}

TEST(Names, AreReadAsTheyAreWritten) {
  for (const Protocol protocol : all_protocols) {
    EXPECT_EQ(parse_protocol(name_of(protocol)), protocol);
  }
  for (const WaitMode mode : {WaitMode::spin, WaitMode::block}) {
    EXPECT_EQ(parse_wait(name_of(mode)), mode);
  }
  EXPECT_FALSE(parse_protocol("icmp"));
  EXPECT_FALSE(parse_wait("spin*"));
}

}  // namespace
}  // namespace rtecho::pair

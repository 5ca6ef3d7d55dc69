#include "rt_core/arp.hpp"

#include <gtest/gtest.h>

#include <string>

#include "wire_samples.hpp"

namespace rtecho {
namespace {

using test::Bytes;
using test::from_hex;
using test::put_word;

MacAddress mac_ending_in(unsigned char last) {
  return MacAddress({std::byte{0x02}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{last}});
}

// 02:…:01 at 10.0.0.1 asks for 10.0.0.2.
Bytes sample() {
  return from_hex("0001 0800 06 04 0001 020000000001 0a000001 000000000000 0a000002");
}

TEST(ArpPacket, ReadsARequest) {
  ArpPacket packet;
  ASSERT_TRUE(ArpPacket::parse(sample(), packet));
  EXPECT_EQ(packet.operation, ArpOperation::request);
  EXPECT_EQ(packet.sender_mac, mac_ending_in(1));
  EXPECT_EQ(packet.sender_address, 0x0A00'0001U);
  EXPECT_TRUE(packet.target_mac.is_zero());
  EXPECT_EQ(packet.target_address, 0x0A00'0002U);
}

TEST(ArpPacket, IsAnsweredByTheOwner) {
  ArpPacket packet;
  ASSERT_TRUE(ArpPacket::parse(sample(), packet));
  Bytes reply(30, std::byte{0xEE});
  packet.answered_by(mac_ending_in(2)).emit(reply);
  EXPECT_EQ(reply, from_hex("0001 0800 06 04 0002 020000000002 0a000002 020000000001 0a000001 eeee"));
}

TEST(ArpPacket, EmitsWhatItRead) {
  for (const char* operation : {"0001", "0002"}) {
    const Bytes bytes =
        from_hex(std::string("0001 0800 06 04 ") + operation + " 0200000000aa c0a80001 0200000000bb c0a800ff");
    ArpPacket packet;
    ASSERT_TRUE(ArpPacket::parse(bytes, packet));
    Bytes again(28);
    packet.emit(again);
    EXPECT_EQ(again, bytes);
  }
}

TEST(ArpPacket, IgnoresTheFramesPadding) {
  Bytes bytes = sample();
  bytes.resize(46, std::byte{0x77});
  ArpPacket packet;
  EXPECT_TRUE(ArpPacket::parse(bytes, packet));
}

TEST(ArpPacket, RefusesEveryTruncation) {
  const Bytes bytes = sample();
  ArpPacket packet;
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    ASSERT_FALSE(ArpPacket::parse(std::span(bytes).first(length), packet)) << length;
  }
}

TEST(ArpPacket, RefusesOtherHardwareAndOtherProtocols) {
  for (std::size_t bit = 0; bit < 48; ++bit) {
    Bytes bytes = sample();
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    ArpPacket packet;
    ASSERT_FALSE(ArpPacket::parse(bytes, packet)) << bit;
  }
}

TEST(ArpPacket, KnowsTwoOperations) {
  for (std::uint32_t operation = 0; operation <= 0xFFFF; ++operation) {
    Bytes bytes = sample();
    put_word(bytes, 6, operation);
    ArpPacket packet;
    ASSERT_EQ(ArpPacket::parse(bytes, packet), operation == 1 || operation == 2) << operation;
  }
}

}  // namespace
}  // namespace rtecho

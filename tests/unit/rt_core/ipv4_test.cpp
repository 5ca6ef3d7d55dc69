#include "rt_core/ipv4.hpp"

#include <gtest/gtest.h>

#include "wire_samples.hpp"

namespace rtecho {
namespace {

using test::AnyBytes;
using test::Bytes;
using test::from_hex;
using test::plain_checksum;
using test::put_word;

// 192.168.0.1 to 192.168.0.199, "don't fragment", 4 bytes of payload.
Bytes sample() {
  Bytes packet = from_hex("4500 0018 0000 4000 4011 0000 c0a8 0001 c0a8 00c7 01020304");
  put_word(packet, 10, plain_checksum(std::span(packet).first<20>()));
  return packet;
}
Bytes with_right_checksum(Bytes packet) {
  put_word(packet, 10, 0);
  put_word(packet, 10, plain_checksum(std::span(packet).first<20>()));
  return packet;
}

Ipv4Fault fault_of(Bytes packet) {
  Ipv4View view;
  return Ipv4View::check(packet, view);
}

TEST(Ipv4Header, EmitsTheBytesOfAKnownHeader) {
  Bytes packet(22, std::byte{0xEE});
  Ipv4Header{.payload_bytes = 95, .source = 0xC0A8'0001, .destination = 0xC0A8'00C7}.emit(packet);
  EXPECT_EQ(packet, from_hex("4500 0073 0000 4000 4011 b861 c0a8 0001 c0a8 00c7 eeee"));
}

TEST(Ipv4Header, CarriesEveryFieldThatIsAsked) {
  Bytes packet(20);
  Ipv4Header{.payload_bytes = 65'515,
             .differentiated_services = 46,
             .time_to_live = 1,
             .protocol = ip_protocol::icmp,
             .source = 0x0A00'0001,
             .destination = 0xFFFF'FFFE}
      .emit(packet);
  EXPECT_EQ(packet, with_right_checksum(from_hex("45b8 ffff 0000 4000 0101 0000 0a00 0001 ffff fffe")));
}

TEST(Ipv4View, ReadsWhatAHeaderSays) {
  Bytes packet = sample();
  Ipv4View view;
  ASSERT_EQ(Ipv4View::check(packet, view), Ipv4Fault::none);
  EXPECT_EQ(view.protocol(), 17U);
  EXPECT_EQ(view.source(), 0xC0A8'0001U);
  EXPECT_EQ(view.destination(), 0xC0A8'00C7U);
  EXPECT_EQ(view.payload().data(), packet.data() + 20);
  EXPECT_EQ(view.payload().size(), 4U);
}

TEST(Ipv4View, LeavesOutTheFramesPadding) {
  Bytes packet = sample();
  packet.resize(46);
  Ipv4View view;
  ASSERT_EQ(Ipv4View::check(packet, view), Ipv4Fault::none);
  EXPECT_EQ(view.payload().size(), 4U);
}

TEST(Ipv4View, RefusesEveryTruncation) {
  const Bytes packet = sample();
  for (std::size_t length = 0; length < packet.size(); ++length) {
    ASSERT_EQ(fault_of(Bytes(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(length))), Ipv4Fault::length)
        << length;
  }
}

TEST(Ipv4View, RefusesEveryLengthThatLies) {
  for (std::uint32_t total = 0; total <= 0xFFFF; ++total) {
    Bytes packet = sample();
    put_word(packet, 2, total);
    const bool fits = total >= 20 && total <= 24;
    ASSERT_EQ(fault_of(with_right_checksum(packet)), fits ? Ipv4Fault::none : Ipv4Fault::length) << total;
  }
}

TEST(Ipv4View, TakesAPacketOfTheLargestLength) {
  Bytes packet = sample();
  packet.resize(65'535);
  put_word(packet, 2, 65'535);
  packet = with_right_checksum(packet);
  Ipv4View view;
  ASSERT_EQ(Ipv4View::check(packet, view), Ipv4Fault::none);
  EXPECT_EQ(view.payload().size(), 65'515U);
}

TEST(Ipv4View, RefusesEveryOtherVersionAndHeaderLength) {
  for (unsigned first = 0; first <= 0xFF; ++first) {
    Bytes packet = sample();
    packet.resize(80);
    put_word(packet, 2, 80);
    packet[0] = static_cast<std::byte>(first);
    Ipv4Fault expected = Ipv4Fault::none;
    if (first >> 4U != 4) {
      expected = Ipv4Fault::version;
    } else if (first != 0x45) {
      expected = Ipv4Fault::options;
    }
    ASSERT_EQ(fault_of(with_right_checksum(packet)), expected) << first;
  }
}

TEST(Ipv4View, RefusesEveryPartOfADatagram) {
  for (std::uint32_t fragment = 0; fragment <= 0xFFFF; ++fragment) {
    Bytes packet = sample();
    put_word(packet, 6, fragment);
    const bool is_whole = (fragment & 0x3FFFU) == 0;  // reserved bit and "don't fragment" say nothing about it
    ASSERT_EQ(fault_of(with_right_checksum(packet)), is_whole ? Ipv4Fault::none : Ipv4Fault::fragment) << fragment;
  }
}

TEST(Ipv4View, RefusesEveryOtherChecksum) {
  const Bytes packet = sample();
  for (std::uint32_t checksum = 0; checksum <= 0xFFFF; ++checksum) {
    Bytes altered = packet;
    put_word(altered, 10, checksum);
    ASSERT_EQ(fault_of(altered), altered == packet ? Ipv4Fault::none : Ipv4Fault::checksum) << checksum;
  }
}

TEST(Ipv4View, RefusesAHeaderWithAnyBitFlipped) {
  for (std::size_t bit = 0; bit < 160; ++bit) {
    Bytes packet = sample();
    packet[bit / 8] ^= std::byte{1} << (bit % 8);
    ASSERT_NE(fault_of(packet), Ipv4Fault::none) << bit;
  }
}

TEST(Ipv4View, TakesAnyServiceIdentificationAndTimeToLive) {
  AnyBytes any(1);
  for (int i = 0; i < 1'000; ++i) {
    Bytes packet = sample();
    const Bytes values = any.bytes(4);
    packet[1] = values[0];
    packet[4] = values[1];
    packet[5] = values[2];
    packet[8] = values[3];
    ASSERT_EQ(fault_of(with_right_checksum(packet)), Ipv4Fault::none);
  }
}

}  // namespace
}  // namespace rtecho

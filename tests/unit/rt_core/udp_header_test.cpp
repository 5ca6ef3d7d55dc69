#include "rt_core/udp_header.hpp"

#include <gtest/gtest.h>

#include "wire_samples.hpp"

namespace rtecho {
namespace {

using test::AnyBytes;
using test::Bytes;
using test::from_hex;
using test::plain_checksum;
using test::plain_sum;
using test::put_word;

constexpr std::uint32_t source = 0x0A00'0001;
constexpr std::uint32_t destination = 0x0A00'0002;

InternetSum pseudo_header(std::size_t bytes) {
  return udp_pseudo_header_sum(source, destination, bytes);
}
// Source and destination, protocol 17, length.
std::uint64_t plain_pseudo_header(std::size_t bytes) {
  return 0x0A00U + 0x0001U + 0x0A00U + 0x0002U + 17U + bytes;
}

UdpChecksum checksum_of(Bytes datagram) {
  UdpView view;
  EXPECT_TRUE(UdpView::check(datagram, view));
  return view.checksum(pseudo_header(view.bytes()));
}

// From 10.0.0.1:4000 to 10.0.0.2:7008.
Bytes with_header(Bytes datagram) {
  UdpHeader{4'000, 7'008}.emit(datagram, pseudo_header(datagram.size()));
  return datagram;
}

TEST(UdpHeader, EmitsKnownDatagrams) {
  EXPECT_EQ(with_header(from_hex("0000000000000000 616263")), from_hex("0fa0 1b60 000b fc72 616263")) << "odd";
  EXPECT_EQ(with_header(from_hex("0000000000000000 61626364")), from_hex("0fa0 1b60 000c fc0c 61626364"));
  EXPECT_EQ(with_header(from_hex("ffffffffffffffff")), from_hex("0fa0 1b60 0008 c0db")) << "whatever was there before";
}

TEST(UdpHeader, IsRightAtEveryLength) {
  AnyBytes any(1);
  for (std::size_t bytes = 8; bytes <= 1'480; ++bytes) {
    const Bytes datagram = with_header(any.bytes(bytes));
    ASSERT_EQ(plain_sum(datagram, plain_pseudo_header(bytes)), 0xFFFFU) << bytes;
    ASSERT_EQ(checksum_of(datagram), UdpChecksum::right) << bytes;
  }
  const Bytes largest = with_header(any.bytes(65'515));
  EXPECT_EQ(plain_sum(largest, plain_pseudo_header(65'515)), 0xFFFFU);
  EXPECT_EQ(checksum_of(largest), UdpChecksum::right);
}

// 0 would say that there is no checksum.
TEST(UdpHeader, SpellsAChecksumOfZeroAsOnes) {
  Bytes datagram(10);
  put_word(datagram, 0, 4'000);
  put_word(datagram, 2, 7'008);
  put_word(datagram, 4, 10);
  const std::uint16_t missing = plain_checksum(datagram, plain_pseudo_header(10));
  put_word(datagram, 8, missing);  // a payload with which everything adds up to ones
  datagram = with_header(datagram);
  EXPECT_EQ(datagram[6], std::byte{0xFF});
  EXPECT_EQ(datagram[7], std::byte{0xFF});
  EXPECT_EQ(checksum_of(datagram), UdpChecksum::right);
  static_assert(UdpHeader::udp_checksum_field(0) == 0xFFFF);
  static_assert(UdpHeader::udp_checksum_field(1) == 1);
  static_assert(UdpHeader::udp_checksum_field(0xFFFF) == 0xFFFF);
}

TEST(UdpView, TellsEveryChecksumApart) {
  const Bytes datagram = with_header(from_hex("0000000000000000 0102030405"));
  const Bytes right(datagram.begin() + 6, datagram.begin() + 8);
  const std::uint16_t partial = plain_sum({}, plain_pseudo_header(13));
  for (std::uint32_t field = 0; field <= 0xFFFF; ++field) {
    Bytes altered = datagram;
    put_word(altered, 6, field);
    UdpChecksum expected = UdpChecksum::wrong;
    if (field == 0) {
      expected = UdpChecksum::absent;
    } else if (field == partial) {
      expected = UdpChecksum::partial;
    } else if (altered == datagram) {
      expected = UdpChecksum::right;
    }
    ASSERT_EQ(checksum_of(altered), expected) << field;
  }
  EXPECT_EQ(partial, 0x1421U) << "not complemented, as Linux leaves it to a NIC";
}

TEST(UdpView, FindsAnyFlippedBitButThoseOfTheLength) {
  const Bytes datagram = with_header(from_hex("0000000000000000 0102030405"));
  for (std::size_t bit = 0; bit < datagram.size() * 8; ++bit) {
    if (bit / 16 == 2) {
      continue;
    }
    Bytes altered = datagram;
    altered[bit / 8] ^= std::byte{1} << (bit % 8);
    ASSERT_EQ(checksum_of(altered), UdpChecksum::wrong) << bit;
  }
}

TEST(UdpView, CoversTheAddresses) {
  Bytes datagram = with_header(from_hex("0000000000000000 0102030405"));
  UdpView view;
  ASSERT_TRUE(UdpView::check(datagram, view));
  EXPECT_EQ(view.checksum(udp_pseudo_header_sum(source + 1, destination, 13)), UdpChecksum::wrong);
  EXPECT_EQ(view.checksum(udp_pseudo_header_sum(source, destination ^ 0x0100'0000, 13)), UdpChecksum::wrong);
  EXPECT_EQ(view.checksum(udp_pseudo_header_sum(source, destination, 12)), UdpChecksum::wrong);
  EXPECT_EQ(view.checksum(udp_pseudo_header_sum(destination, source, 13)), UdpChecksum::right) << "it is a sum";
}

TEST(UdpView, ReadsWhatAHeaderSays) {
  Bytes datagram = with_header(from_hex("0000000000000000 616263"));
  UdpView view;
  ASSERT_TRUE(UdpView::check(datagram, view));
  EXPECT_EQ(view.source_port(), 4'000U);
  EXPECT_EQ(view.destination_port(), 7'008U);
  EXPECT_EQ(view.bytes(), 11U);
  EXPECT_EQ(view.payload().data(), datagram.data() + 8);
  EXPECT_EQ(view.payload().size(), 3U);
}

TEST(UdpView, RefusesEveryTruncationAndEveryLengthThatLies) {
  const Bytes datagram = with_header(from_hex("0000000000000000 616263"));
  UdpView view;
  for (std::size_t length = 0; length < datagram.size(); ++length) {
    Bytes cut(datagram.begin(), datagram.begin() + static_cast<std::ptrdiff_t>(length));
    ASSERT_FALSE(UdpView::check(cut, view)) << length;
  }
  for (std::uint32_t bytes = 0; bytes <= 0xFFFF; ++bytes) {
    Bytes lying = datagram;
    put_word(lying, 4, bytes);
    const bool fits = bytes >= 8 && bytes <= 11;
    ASSERT_EQ(UdpView::check(lying, view), fits) << bytes;
    if (fits) {
      ASSERT_EQ(view.payload().size(), bytes - 8) << "the rest is not part of it";
    }
  }
}

}  // namespace
}  // namespace rtecho

#include "rt_core/icmp_echo.hpp"

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

Bytes ping_of(Bytes message) {
  put_word(message, 0, 0x0800);
  put_word(message, 2, 0);
  put_word(message, 2, plain_checksum(message));
  return message;
}

bool is_request(Bytes& message) {
  IcmpEchoView view;
  return IcmpEchoView::check_request(message, view);
}

TEST(IcmpEcho, TurnsARequestIntoItsReply) {
  Bytes message = from_hex("0800 b3da 0001 0002 1122 33");
  ASSERT_EQ(message, ping_of(message)) << "the sample itself";
  IcmpEchoView view;
  ASSERT_TRUE(IcmpEchoView::check_request(message, view));
  view.turn_into_reply();
  EXPECT_EQ(message, from_hex("0000 bbda 0001 0002 1122 33"));
}

TEST(IcmpEcho, IsRightAtEveryLength) {
  AnyBytes any(1);
  for (std::size_t length = 8; length < 1'481; ++length) {
    Bytes message = ping_of(any.bytes(length));
    Bytes expected = message;
    put_word(expected, 0, 0);
    put_word(expected, 2, 0);
    put_word(expected, 2, plain_checksum(expected));
    IcmpEchoView view;
    ASSERT_TRUE(IcmpEchoView::check_request(message, view)) << length;
    view.turn_into_reply();
    ASSERT_EQ(message, expected) << length;
  }
}

// Identifier, sequence and payload 0: an adjusted checksum would come to 0, which the receiver finds wrong.
TEST(IcmpEcho, AnswersAPingOfZeros) {
  for (const std::size_t length : {8U, 9U, 64U}) {
    Bytes message = ping_of(Bytes(length));
    IcmpEchoView view;
    ASSERT_TRUE(IcmpEchoView::check_request(message, view));
    view.turn_into_reply();
    EXPECT_EQ(plain_sum(message), 0xFFFFU) << length;
  }
}

TEST(IcmpEcho, IsNoRequestWhereItIsTooShort) {
  const Bytes message = ping_of(from_hex("0800 0000 0001 0002"));
  for (std::size_t length = 0; length < message.size(); ++length) {
    Bytes cut(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(length));
    ASSERT_FALSE(is_request(cut)) << length;
  }
}

TEST(IcmpEcho, IsNoRequestWithAnyBitFlipped) {
  const Bytes message = ping_of(from_hex("0800 0000 0001 0002 aabb cc"));
  for (std::size_t bit = 0; bit < message.size() * 8; ++bit) {
    Bytes altered = message;
    altered[bit / 8] ^= std::byte{1} << (bit % 8);
    ASSERT_FALSE(is_request(altered)) << bit;
  }
}

// Replies above all: two hosts would answer each other for ever.
TEST(IcmpEcho, IsNoRequestWithAnyOtherTypeOrCode) {
  for (std::uint32_t type_and_code = 0; type_and_code <= 0xFFFF; ++type_and_code) {
    Bytes message = from_hex("0000 0000 0001 0002");
    put_word(message, 0, type_and_code);
    put_word(message, 2, plain_checksum(message));
    ASSERT_EQ(is_request(message), type_and_code == 0x0800U) << type_and_code;
  }
}

}  // namespace
}  // namespace rtecho

// What the client makes of a reply in which something is wrong: of every length, and with every bit flipped.
#include "rt_core/reply.hpp"

#include <gtest/gtest.h>

#include "rt_core/request.hpp"
#include "scripted_port.hpp"

namespace rtecho {
namespace {

using test::Message;
using test::ScriptedPort;

constexpr std::uint64_t sequence = 0x25;
constexpr std::uint64_t session = 0x0102'0304'0506'0708;

Message good_reply(std::uint32_t bytes) {
  ScriptedPort clock;
  Message message(bytes);
  RequestWriter({.message_bytes = bytes, .session = session}).write(message, sequence, clock);
  return test::reply_to(message, Instant::from_ns(7'000));
}

MessageFault read(const Message& message, std::uint32_t bytes, Reply& reply) {
  return ReplyReader({.message_bytes = bytes, .session = session}).read(message, sequence, reply);
}

TEST(ReplyReader, GivesTheFieldsOfEveryForm) {
  for (const std::uint32_t bytes : {1U, 2U, 8U, 9U, 15U, 16U, 17U, 63U, 64U, 65U, 1'472U}) {
    Reply reply;
    ASSERT_EQ(read(good_reply(bytes), bytes, reply), MessageFault::none) << bytes;
    EXPECT_EQ(reply.sequence, 0x25U);
    EXPECT_EQ(reply.client_send.ns(), bytes >= 64 ? 1'000'000'000 : 0) << bytes;
    EXPECT_EQ(reply.server_receive.ns(), bytes >= 64 ? 7'000 : 0) << bytes;
    EXPECT_EQ(reply.server_send.ns(), bytes >= 64 ? 8'000 : 0) << bytes;
  }
}

TEST(ReplyReader, RefusesEveryOtherLength) {
  for (const std::uint32_t bytes : {1U, 2U, 15U, 16U, 63U, 64U, 100U}) {
    const Message message = good_reply(bytes);
    for (std::size_t length = 0; length <= 130; ++length) {
      Message cut = message;
      cut.resize(length);
      Reply reply;
      EXPECT_EQ(read(cut, bytes, reply), length == bytes ? MessageFault::none : MessageFault::length)
          << length << " for " << bytes;
    }
  }
}

TEST(ReplyReader, TakesNoRequestForAReply) {
  for (const std::uint32_t bytes : {1U, 15U, 16U, 63U, 64U, 80U}) {
    ScriptedPort clock;
    Message request(bytes);
    RequestWriter({.message_bytes = bytes, .session = session}).write(request, sequence, clock);
    Reply reply;
    EXPECT_EQ(read(request, bytes, reply), MessageFault::kind) << bytes;
  }
}

TEST(ReplyReader, TakesNoProbeForAReply) {
  Message probe(64);
  FullHeaderTemplate({.message_bytes = 64, .session = session}, MessageKind::probe)
      .emit(std::span(probe).first<full_header_bytes>(), sequence, Instant::from_ns(1));
  Reply reply;
  EXPECT_EQ(read(test::reply_to(probe), 64, reply), MessageFault::kind);
}

TEST(ReplyReader, AcceptsNoFullReplyWithAFlippedBit) {
  Message message = good_reply(80);
  for (std::size_t bit = 0; bit < 80 * 8; ++bit) {
    const std::size_t byte = bit / 8;
    const bool is_fixed = byte < 3 || (byte >= 4 && byte < 8) || (byte >= 52 && byte < 56);
    message[byte] ^= std::byte{1} << (bit % 8);
    Reply reply;
    EXPECT_EQ(read(message, 80, reply), is_fixed    ? MessageFault::foreign
                                        : byte < 64 ? MessageFault::check
                                                    : MessageFault::fill)
        << "bit " << bit;
    message[byte] ^= std::byte{1} << (bit % 8);
  }
}

TEST(ReplyReader, AcceptsNoShortReplyWithAFlippedBitWhereThereIsFill) {
  Message message = good_reply(24);
  for (std::size_t bit = 0; bit < 24 * 8; ++bit) {
    const std::size_t byte = bit / 8;
    message[byte] ^= std::byte{1} << (bit % 8);
    Reply reply;
    EXPECT_EQ(read(message, 24, reply), byte < 3    ? MessageFault::foreign
                                        : byte == 3 ? MessageFault::kind
                                        : byte < 8  ? MessageFault::session
                                                    : MessageFault::fill)
        << "bit " << bit << ": an altered sequence shows in the fill";
    message[byte] ^= std::byte{1} << (bit % 8);
  }
}

// Documented: 16 bytes have no room for a check, and one byte of fill sees one byte of the sequence.
TEST(ReplyReader, ReadsAnAlteredSequenceOfABareShortReplyAsAnotherMessage) {
  Message message = good_reply(16);
  for (std::size_t bit = 8 * 8; bit < 16 * 8; ++bit) {
    message[bit / 8] ^= std::byte{1} << (bit % 8);
    Reply reply;
    EXPECT_EQ(read(message, 16, reply), MessageFault::none);
    EXPECT_NE(reply.sequence, 0x25U) << "never as an answer to its own";
    message[bit / 8] ^= std::byte{1} << (bit % 8);
  }
}

TEST(ReplyReader, NeverTakesAFlippedBitOfATagForTheSameMessage) {
  for (const std::uint32_t bytes : {1U, 2U, 7U, 8U}) {
    Message message = good_reply(bytes);
    for (std::size_t bit = 0; bit < std::size_t{bytes} * 8; ++bit) {
      message[bit / 8] ^= std::byte{1} << (bit % 8);
      Reply reply;
      const MessageFault fault = read(message, bytes, reply);
      if (bit == 7) {
        EXPECT_EQ(fault, MessageFault::kind) << "the reply bit";
      } else {
        EXPECT_EQ(fault, MessageFault::none);
        EXPECT_NE(reply.sequence, 0x25U) << "bit " << bit << " of " << bytes;
      }
      message[bit / 8] ^= std::byte{1} << (bit % 8);
    }
  }
}

// Tags of 9 to 15 bytes have bits that are always 0 in a request. Looking at them would cost nothing.
TEST(ReplyReader, AcceptsNoTagWhoseUnusedBitsAreNotZero) {
  for (std::uint32_t bytes = 9; bytes <= 15; ++bytes) {
    Message message = good_reply(bytes);
    for (std::size_t bit = 0; bit < (std::size_t{bytes} - 8) * 8; ++bit) {
      message[bit / 8] ^= std::byte{1} << (bit % 8);
      Reply reply;
      EXPECT_NE(read(message, bytes, reply), MessageFault::none) << "bit " << bit << " of " << bytes;
      message[bit / 8] ^= std::byte{1} << (bit % 8);
    }
  }
}

TEST(ReplyReader, ExtendsATagByWhatIsExpected) {
  Reply reply;
  const MessageShape shape{.message_bytes = 1};
  EXPECT_EQ(ReplyReader(shape).read(Message{std::byte{0x80}}, 127, reply), MessageFault::none);
  EXPECT_EQ(reply.sequence, 128U);
  EXPECT_EQ(ReplyReader(shape).read(Message{std::byte{0xFF}}, 128, reply), MessageFault::none);
  EXPECT_EQ(reply.sequence, 127U);
}

}  // namespace
}  // namespace rtecho

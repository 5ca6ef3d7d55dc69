#include "rt_core/message.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "scripted_port.hpp"

namespace rtecho {
namespace {

using Message = std::vector<std::byte>;

Message bytes_of(std::initializer_list<unsigned> values) {
  Message message;
  for (const unsigned value : values) {
    message.push_back(static_cast<std::byte>(value));
  }
  return message;
}

TEST(MessageForm, IsTheLargestThatFits) {
  EXPECT_EQ(form_of(1), MessageForm::tag);
  EXPECT_EQ(form_of(15), MessageForm::tag);
  EXPECT_EQ(form_of(16), MessageForm::short_header);
  EXPECT_EQ(form_of(63), MessageForm::short_header);
  EXPECT_EQ(form_of(64), MessageForm::full);
  EXPECT_EQ(form_of(65'535), MessageForm::full);
}

TEST(MessageForm, HeaderIsTheWholeTagOrTheFormsOwn) {
  EXPECT_EQ(header_bytes_of(1), 1U);
  EXPECT_EQ(header_bytes_of(15), 15U);
  EXPECT_EQ(header_bytes_of(16), 16U);
  EXPECT_EQ(header_bytes_of(63), 16U);
  EXPECT_EQ(header_bytes_of(64), 64U);
  EXPECT_EQ(header_bytes_of(1'472), 64U);
}

TEST(SequenceBits, AreAllButOneOfASmallTag) {
  EXPECT_EQ(sequence_bits(1), 7U);
  EXPECT_EQ(sequence_bits(2), 15U);
  EXPECT_EQ(sequence_bits(8), 63U);
  EXPECT_EQ(sequence_bits(9), 64U);
  EXPECT_EQ(sequence_bits(15), 64U);
}

struct Wrap {
  unsigned bits;
  std::uint64_t first_after;  // 2^bits
};

TEST(ExtendSequence, WrapsAtEveryWidth) {
  for (const Wrap& wrap :
       {Wrap{7, 128}, Wrap{15, 32'768}, Wrap{23, 8'388'608}, Wrap{31, 2'147'483'648}, Wrap{39, 549'755'813'888},
        Wrap{47, 140'737'488'355'328}, Wrap{55, 36'028'797'018'963'968}, Wrap{63, 9'223'372'036'854'775'808U}}) {
    const std::uint64_t last = wrap.first_after - 1;
    EXPECT_EQ(extend_sequence(last, wrap.bits, last), last) << wrap.bits;
    EXPECT_EQ(extend_sequence(0, wrap.bits, last), wrap.first_after) << wrap.bits << ": one after the wrap";
    EXPECT_EQ(extend_sequence(0, wrap.bits, wrap.first_after), wrap.first_after) << wrap.bits;
    EXPECT_EQ(extend_sequence(last, wrap.bits, wrap.first_after), last) << wrap.bits << ": one before the wrap";
    EXPECT_EQ(extend_sequence(5, wrap.bits, wrap.first_after + 3), wrap.first_after + 5) << wrap.bits;
  }
}

TEST(ExtendSequence, TakesTheNearest) {
  EXPECT_EQ(extend_sequence(72, 7, 200), 200U);
  EXPECT_EQ(extend_sequence(71, 7, 200), 199U);
  EXPECT_EQ(extend_sequence(9, 7, 200), 137U) << "63 before";
  EXPECT_EQ(extend_sequence(7, 7, 200), 263U) << "63 after, not 65 before";
  EXPECT_EQ(extend_sequence(127, 7, 256), 255U);
}

TEST(ExtendSequence, NeverGoesBelowTheFirst) {
  EXPECT_EQ(extend_sequence(127, 7, 0), 127U);
  EXPECT_EQ(extend_sequence(100, 7, 3), 100U);
  EXPECT_EQ(extend_sequence(0, 7, 0), 0U);
}

TEST(ExtendSequence, WholeNumbersNeedNothing) {
  EXPECT_EQ(extend_sequence(~std::uint64_t{0}, 64, 5), ~std::uint64_t{0});
  EXPECT_EQ(extend_sequence(0, 64, ~std::uint64_t{0}), 0U);
}

TEST(Fill, IsOffsetPlusAByteOfTheMultipliedSequence) {
  Message message(27, std::byte{0xEE});
  write_fill(message, 16, 1);
  EXPECT_EQ(message[15], std::byte{0xEE}) << "the header is not touched";
  // 9E3779B97F4A7C15, lowest byte first, plus 16, 17, …
  EXPECT_EQ(Message(message.begin() + 16, message.end()),
            bytes_of({0x25, 0x8D, 0x5C, 0x92, 0xCD, 0x8E, 0x4D, 0xB5, 0x2D, 0x95, 0x64}));
  message.resize(72);
  write_fill(message, 64, 2);
  // 3C6EF372FE94F82A, lowest byte first, plus 64, 65, …
  EXPECT_EQ(Message(message.begin() + 64, message.end()), bytes_of({0x6A, 0x39, 0xD6, 0x41, 0xB6, 0x38, 0xB4, 0x83}));
}

TEST(Fill, OfSequenceZeroIsTheLowByteOfTheOffset) {
  Message message(600);
  write_fill(message, 64, 0);
  EXPECT_EQ(message[64], std::byte{0x40});
  EXPECT_EQ(message[255], std::byte{0xFF});
  EXPECT_EQ(message[256], std::byte{0x00});
  EXPECT_EQ(message[599], std::byte{0x57});
}

TEST(Fill, ShowsEveryFlippedBitAtEveryLength) {
  for (std::size_t length = 16; length <= 33; ++length) {
    Message message(length);
    write_fill(message, 16, 0x1234'5678'9ABC'DEF0);
    ASSERT_TRUE(fill_matches(message, 16, 0x1234'5678'9ABC'DEF0)) << length;
    for (std::size_t bit = 16 * 8; bit < length * 8; ++bit) {
      message[bit / 8] ^= std::byte{1} << (bit % 8);
      ASSERT_FALSE(fill_matches(message, 16, 0x1234'5678'9ABC'DEF0)) << "bit " << bit << " of " << length;
      message[bit / 8] ^= std::byte{1} << (bit % 8);
    }
    EXPECT_EQ(fill_matches(message, 16, 0x1234'5678'9ABC'DEF1), length == 16) << "another message's";
  }
}

constexpr MessageShape full_80{.message_bytes = 80, .session = 0x0102'0304'0506'0708};

Message full_request() {
  Message message(80);
  FullHeaderTemplate(full_80, MessageKind::echo)
      .emit(std::span(message).first<full_header_bytes>(), 0xA1A2'A3A4'A5A6'A7A8, Instant::from_ns(0x1122334455667788));
  write_fill(message, 64, 0xA1A2'A3A4'A5A6'A7A8);
  return message;
}

TEST(FullMessage, EmitsTheBytesOfTheSpecification) {
  const Message message = full_request();
  EXPECT_EQ(Message(message.begin(), message.begin() + 64),
            bytes_of({0x52, 0x45, 0x01, 0x01, 0x00, 0x00, 0x00, 0x40, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
                      0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0,
                      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                      // gap, message bytes, reserved, check: 52450101 + 40 + 01020304 + 05060708 + A1A2A3A4 +
                      // A5A6A7A8 + 11223344 + 55667788 + 50 = 2_061F01B5
                      0, 0, 0, 0, 0x00, 0x00, 0x00, 0x50, 0, 0, 0, 0, 0x06, 0x1F, 0x01, 0xB5}));
}

TEST(FullMessage, CheckIsTheSumOfTheWords) {
  Message message(64);
  FullHeaderTemplate({.message_bytes = 64}, MessageKind::probe)
      .emit(std::span(message).first<full_header_bytes>(), 0, Instant{});
  EXPECT_EQ(full_header_sum(message), 0x5245'0182U);  // 52450102 + 40 + 40
  EXPECT_EQ(load_big_endian<std::uint32_t>(message, 60), 0x5245'0182U);
}

TEST(FullMessage, ParsesWhatItEmits) {
  const Message message = full_request();
  ASSERT_EQ(FullMessage::check(message, full_80), MessageFault::none);
  EXPECT_EQ(FullMessage::kind(message), 1U);
  EXPECT_EQ(FullMessage::sequence(message), 0xA1A2'A3A4'A5A6'A7A8U);
  EXPECT_EQ(FullMessage::client_send(message).ns(), 0x1122334455667788);
  EXPECT_EQ(FullMessage::server_receive(message), Instant{});
  EXPECT_EQ(FullMessage::server_send(message), Instant{});
  EXPECT_EQ(FullMessage::server_gap_ns(message), 0U);
}

TEST(FullMessage, RefusesEveryOtherLength) {
  Message message = full_request();
  message.resize(200);
  for (std::size_t length = 0; length <= 200; ++length) {
    const std::span<const std::byte> cut = std::span<const std::byte>(message).first(length);
    EXPECT_EQ(FullMessage::check(cut, full_80), length == 80 ? MessageFault::none : MessageFault::length) << length;
  }
}

// In which of its bytes a flipped bit is which fault.
MessageFault fault_of_full_byte(std::size_t byte) {
  const bool is_fixed = byte < 3 || (byte >= 4 && byte < 8) || (byte >= 52 && byte < 56);
  return is_fixed ? MessageFault::foreign : byte < 64 ? MessageFault::check : MessageFault::none;
}

TEST(FullMessage, ShowsEveryFlippedBitOfItsHeader) {
  Message message = full_request();
  for (std::size_t bit = 0; bit < 80 * 8; ++bit) {
    message[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_EQ(FullMessage::check(message, full_80), fault_of_full_byte(bit / 8)) << "bit " << bit;
    message[bit / 8] ^= std::byte{1} << (bit % 8);
  }
}

TEST(FullMessage, TellsAnotherSessionFromAnAlteredOne) {
  MessageShape other = full_80;
  other.session = 0x0102'0304'0506'0709;
  EXPECT_EQ(FullMessage::check(full_request(), other), MessageFault::session);
}

TEST(FullHeaderReader, GivesTheFieldsOfTheKindItReads) {
  FullFields fields;
  ASSERT_EQ(FullHeaderReader(full_80, 0x01).read(full_request(), fields), MessageFault::none);
  EXPECT_EQ(fields.sequence, 0xA1A2'A3A4'A5A6'A7A8U);
  EXPECT_EQ(fields.client_send.ns(), 0x1122334455667788);
  EXPECT_EQ(fields.server_receive, Instant{});
  EXPECT_EQ(fields.server_send, Instant{});
  EXPECT_EQ(fields.server_gap_ns, 0U);
  EXPECT_EQ(fields.check, 0x061F'01B5U);
  EXPECT_EQ(FullHeaderReader(full_80, 0x81).read(full_request(), fields), MessageFault::kind);
  EXPECT_EQ(FullHeaderReader(full_80, 0x02).read(full_request(), fields), MessageFault::kind);
}

TEST(FullHeaderReader, CallsEveryFaultWhatTheCheckCallsIt) {
  Message message = full_request();
  FullFields fields;
  for (std::size_t bit = 0; bit < 64 * 8; ++bit) {
    message[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_EQ(FullHeaderReader(full_80, 0x01).read(message, fields), fault_of_full_byte(bit / 8)) << "bit " << bit;
    message[bit / 8] ^= std::byte{1} << (bit % 8);
  }
  for (std::size_t length = 0; length < 80; ++length) {
    const std::span<const std::byte> cut = std::span<const std::byte>(message).first(length);
    EXPECT_EQ(FullHeaderReader(full_80, 0x01).read(cut, fields), MessageFault::length) << length;
  }
  const MessageShape other{.message_bytes = 80, .session = 1};
  EXPECT_EQ(FullHeaderReader(other, 0x01).read(message, fields), MessageFault::session);
}

TEST(FullHeaderReader, ReadsAnUnstampedRequestAsTheOtherReadDoes) {
  FullFields fields;
  ASSERT_TRUE(FullHeaderReader(full_80, 0x01).read_unstamped(full_request(), fields));
  EXPECT_EQ(fields.sequence, 0xA1A2'A3A4'A5A6'A7A8U);
  EXPECT_EQ(fields.client_send.ns(), 0x1122334455667788);
  EXPECT_EQ(fields.server_receive, Instant{});
  EXPECT_EQ(fields.server_send, Instant{});
  EXPECT_EQ(fields.server_gap_ns, 0U);
  EXPECT_EQ(fields.check, 0x061F'01B5U);
}

TEST(FullHeaderReader, ReadsNothingElseAsUnstamped) {
  Message message = full_request();
  FullFields fields;
  const FullHeaderReader reader(full_80, 0x01);
  for (std::size_t bit = 0; bit < 64 * 8; ++bit) {
    message[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_FALSE(reader.read_unstamped(message, fields)) << "bit " << bit;
    message[bit / 8] ^= std::byte{1} << (bit % 8);
  }
  for (std::size_t length = 0; length < 80; ++length) {
    EXPECT_FALSE(reader.read_unstamped(std::span<const std::byte>(message).first(length), fields)) << length;
  }
  EXPECT_FALSE(FullHeaderReader(full_80, 0x81).read_unstamped(message, fields));
  EXPECT_FALSE(FullHeaderReader({.message_bytes = 80, .session = 1}, 0x01).read_unstamped(message, fields));
  for (const std::size_t stamp : {32U, 40U, 48U}) {
    Message stamped = message;
    stamped[stamp] = std::byte{1};
    store_big_endian(std::span<std::byte>(stamped), 60, full_header_sum(stamped));
    EXPECT_FALSE(reader.read_unstamped(stamped, fields)) << "good, but stamped at " << stamp;
    EXPECT_EQ(reader.read(stamped, fields), MessageFault::none);
  }
}

TEST(FullMessage, TurnsIntoAReplyWhoseCheckFits) {
  Message message = full_request();
  turn_full_message(message, test::fields_of(message), Instant::from_ns(0x7000'0000'0000'0001),
                    Instant::from_ns(0x7FFF'FFFF'FFFF'FFFF), 0xFFFF'FFFE);
  ASSERT_EQ(FullMessage::check(message, full_80), MessageFault::none);
  EXPECT_EQ(FullMessage::kind(message), 0x81U);
  EXPECT_EQ(FullMessage::sequence(message), 0xA1A2'A3A4'A5A6'A7A8U);
  EXPECT_EQ(FullMessage::client_send(message).ns(), 0x1122334455667788);
  EXPECT_EQ(FullMessage::server_receive(message).ns(), 0x7000'0000'0000'0001);
  EXPECT_EQ(FullMessage::server_send(message).ns(), 0x7FFF'FFFF'FFFF'FFFF);
  EXPECT_EQ(FullMessage::server_gap_ns(message), 0xFFFF'FFFEU);
  EXPECT_TRUE(fill_matches(message, 64, 0xA1A2'A3A4'A5A6'A7A8)) << "the fill is the client's business";
}

TEST(FullMessage, TurnsARequestWithForgedServerFieldsToo) {
  Message message = full_request();
  store_big_endian(std::span<std::byte>(message), 32, std::uint64_t{0xFFFF'FFFF'FFFF'FFFF});
  store_big_endian(std::span<std::byte>(message), 40, std::uint64_t{0x8000'0000'0000'0000});
  store_big_endian(std::span<std::byte>(message), 48, std::uint32_t{0xFFFF'FFFF});
  store_big_endian(std::span<std::byte>(message), 60, full_header_sum(message));
  turn_full_message(message, test::fields_of(message), Instant::from_ns(-1), Instant::from_ns(5), 6);
  EXPECT_EQ(FullMessage::check(message, full_80), MessageFault::none);
  EXPECT_EQ(FullMessage::server_receive(message).ns(), -1);
  EXPECT_EQ(FullMessage::server_send(message).ns(), 5);
  EXPECT_EQ(FullMessage::server_gap_ns(message), 6U);
}

constexpr MessageShape short_20{.message_bytes = 20, .session = 0xFFFF'FFFF'0A0B'0C0D};

Message short_request() {
  Message message(20);
  ShortMessage::emit(message, short_20, 0x0102'0304'0506'0708);
  return message;
}

TEST(ShortMessage, EmitsTheBytesOfTheSpecification) {
  EXPECT_EQ(short_request(), bytes_of({0x52, 0x45, 0x01, 0x01, 0x0A, 0x0B, 0x0C, 0x0D, 0x01, 0x02,
                                       0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0,    0,    0,    0}));
}

TEST(ShortMessage, RefusesEveryOtherLength) {
  Message message = short_request();
  message.resize(64);
  for (std::size_t length = 0; length <= 64; ++length) {
    const std::span<const std::byte> cut = std::span<const std::byte>(message).first(length);
    EXPECT_EQ(ShortMessage::check(cut, short_20), length == 20 ? MessageFault::none : MessageFault::length) << length;
  }
}

TEST(ShortMessage, ShowsEveryFlippedBitBeforeTheKindAndOfTheSession) {
  Message message = short_request();
  for (std::size_t bit = 0; bit < 20 * 8; ++bit) {
    const std::size_t byte = bit / 8;
    message[byte] ^= std::byte{1} << (bit % 8);
    EXPECT_EQ(ShortMessage::check(message, short_20), byte < 3                ? MessageFault::foreign
                                                      : byte >= 4 && byte < 8 ? MessageFault::session
                                                                              : MessageFault::none)
        << "bit " << bit;
    message[byte] ^= std::byte{1} << (bit % 8);
  }
}

TEST(TagMessage, CarriesTheLowBitsOfTheSequence) {
  const auto emitted = [](std::size_t size, std::uint64_t sequence) {
    Message message(size, std::byte{0xEE});
    TagMessage::emit(message, sequence);
    return message;
  };
  EXPECT_EQ(emitted(1, 0x85), bytes_of({0x05}));
  EXPECT_EQ(emitted(2, 0x1'8001), bytes_of({0x00, 0x01}));
  EXPECT_EQ(emitted(3, 0x7F'FFFF), bytes_of({0x7F, 0xFF, 0xFF}));
  EXPECT_EQ(emitted(8, ~std::uint64_t{0}), bytes_of({0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}));
  EXPECT_EQ(emitted(9, ~std::uint64_t{0}), bytes_of({0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}));
  EXPECT_EQ(emitted(15, 0x0102), bytes_of({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2}));
}

TEST(TagMessage, ParsesWhatItEmitsAtEverySize) {
  for (std::size_t size = 1; size <= 15; ++size) {
    Message message(size);
    TagMessage::emit(message, 0x55);
    EXPECT_EQ(TagMessage::sequence(message), 0x55U) << size;
    EXPECT_FALSE(TagMessage::is_reply(message));
    message[0] |= std::byte{0x80};
    EXPECT_EQ(TagMessage::sequence(message), 0x55U) << "the reply bit is no part of it";
    EXPECT_TRUE(TagMessage::is_reply(message));
  }
}

}  // namespace
}  // namespace rtecho

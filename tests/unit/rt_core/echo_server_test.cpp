#include "rt_core/echo_server.hpp"

#include <gtest/gtest.h>

#include "rt_core/request.hpp"
#include "scripted_port.hpp"

namespace rtecho {
namespace {

using test::Message;
using test::ScriptedPort;

constexpr std::uint64_t session = 0x0102'0304'0506'0708;

MessageShape shape_of(std::uint32_t bytes) {
  return {.message_bytes = bytes, .session = session};
}

Message request(std::uint32_t bytes, std::uint64_t sequence) {
  ScriptedPort clock;
  Message message(bytes);
  RequestWriter(shape_of(bytes)).write(message, sequence, clock);
  return message;
}

struct Rig {
  explicit Rig(std::uint32_t bytes) : server(port, test::server_plan(shape_of(bytes))) {}
  void serve(const Message& message, bool truncated = false) {
    port.arrive(message, truncated);
    server.step();
  }
  [[nodiscard]] const ServerAccounting& accounting() const { return server.accounting(); }
  ScriptedPort port;
  EchoServer<ScriptedPort> server;
};

TEST(EchoServer, AnswersARequestOfEveryForm) {
  for (const std::uint32_t bytes : {1U, 2U, 15U, 16U, 63U, 64U, 1'472U}) {
    Rig rig(bytes);
    rig.serve(request(bytes, 0));
    ASSERT_EQ(rig.port.replies.size(), 1U) << bytes;
    EXPECT_EQ(rig.port.replies[0].size(), bytes) << "never larger than the request";
    EXPECT_EQ(rig.accounting(), (ServerAccounting{.frames = 1, .requests = 1, .replies = 1}));
  }
}

TEST(EchoServer, SetsNothingButTheReplyBitInSmallForms) {
  for (const std::uint32_t bytes : {1U, 15U, 16U, 63U}) {
    Rig rig(bytes);
    Message expected = request(bytes, 77);
    rig.serve(expected);
    expected[bytes < 16 ? 0 : 3] ^= std::byte{0x80};
    ASSERT_EQ(rig.port.replies.size(), 1U);
    EXPECT_EQ(rig.port.replies[0], expected) << bytes;
  }
}

TEST(EchoServer, StampsBeforeItLooksAndAsItSends) {
  Rig rig(64);
  rig.port.stamps = {Instant::from_ns(1'000), Instant::from_ns(3'500), Instant::from_ns(4'000)};
  rig.server.step();
  rig.serve(request(64, 0));
  ASSERT_EQ(rig.port.replies.size(), 1U);
  EXPECT_EQ(FullMessage::server_receive(rig.port.replies[0]).ns(), 3'500);
  EXPECT_EQ(FullMessage::server_send(rig.port.replies[0]).ns(), 4'000);
  EXPECT_EQ(FullMessage::server_gap_ns(rig.port.replies[0]), 2'500U);
}

TEST(EchoServer, CountsARepetitionAndAnswersIt) {
  for (const std::uint32_t bytes : {1U, 15U, 16U, 64U}) {
    Rig rig(bytes);
    rig.serve(request(bytes, 0));
    rig.serve(request(bytes, 1));
    rig.serve(request(bytes, 0));
    EXPECT_EQ(rig.port.replies.size(), 3U);
    EXPECT_EQ(rig.accounting(), (ServerAccounting{.frames = 3, .requests = 2, .repeated = 1, .replies = 3})) << bytes;
  }
}

TEST(EchoServer, CountsDistinctTagsAcrossTheirWrap) {
  for (const std::uint32_t bytes : {1U, 2U}) {
    Rig rig(bytes);
    for (std::uint64_t sequence = 0; sequence < 100'000; ++sequence) {
      Message message(bytes);
      TagMessage::emit(message, sequence);
      rig.serve(message);
    }
    EXPECT_EQ(rig.accounting().requests, 100'000U) << bytes;
    EXPECT_EQ(rig.accounting().repeated, 0U) << bytes;
  }
}

TEST(EchoServer, AnswersNothingOfAnotherLength) {
  for (const std::uint32_t bytes : {1U, 2U, 15U, 16U, 17U, 63U, 64U, 80U}) {
    Rig rig(bytes);
    const Message good = request(bytes, 0);
    for (std::size_t length = 0; length <= 130; ++length) {
      Message other = good;
      other.resize(length);
      if (length != bytes) {
        rig.serve(other);
      }
    }
    rig.serve(good, true);  // longer than the port's buffer
    EXPECT_TRUE(rig.port.replies.empty()) << bytes;
    EXPECT_EQ(rig.accounting(), (ServerAccounting{.frames = 131, .malformed = 131})) << bytes;
    EXPECT_EQ(rig.port.returned, 131U) << "every frame goes back to the port";
  }
}

TEST(EchoServer, AnswersNoFullRequestWithAFlippedBitInItsHeader) {
  Rig rig(80);
  Message message = request(80, 5);
  for (std::size_t bit = 0; bit < 64 * 8; ++bit) {
    message[bit / 8] ^= std::byte{1} << (bit % 8);
    rig.serve(message);
    message[bit / 8] ^= std::byte{1} << (bit % 8);
  }
  EXPECT_TRUE(rig.port.replies.empty());
  EXPECT_EQ(rig.accounting(), (ServerAccounting{.frames = 512, .malformed = 512}));
  for (std::size_t bit = 64 * 8; bit < 80 * 8; ++bit) {
    message[bit / 8] ^= std::byte{1} << (bit % 8);
    rig.serve(message);
    message[bit / 8] ^= std::byte{1} << (bit % 8);
  }
  EXPECT_EQ(rig.port.replies.size(), 128U) << "the fill is compared by the client only";
}

TEST(EchoServer, AnswersNoShortRequestWithAFlippedBitBeforeItsSequence) {
  Rig rig(20);
  Message message = request(20, 5);
  for (std::size_t bit = 0; bit < 8 * 8; ++bit) {
    message[bit / 8] ^= std::byte{1} << (bit % 8);
    rig.serve(message);
    message[bit / 8] ^= std::byte{1} << (bit % 8);
  }
  EXPECT_TRUE(rig.port.replies.empty());
  EXPECT_EQ(rig.accounting(), (ServerAccounting{.frames = 64, .malformed = 24, .unarmed = 40}))
      << "magic and version are malformed, kind and session are not ours";
}

TEST(EchoServer, AnswersOnlyRequests) {
  for (const std::uint32_t bytes : {1U, 15U, 16U, 63U, 64U}) {
    Rig rig(bytes);
    rig.serve(test::reply_to(request(bytes, 3)));
    EXPECT_TRUE(rig.port.replies.empty()) << bytes;
    EXPECT_EQ(rig.accounting(), (ServerAccounting{.frames = 1, .unarmed = 1})) << bytes;
  }
  Rig rig(64);
  Message probe(64);
  FullHeaderTemplate(shape_of(64), MessageKind::probe).emit(std::span(probe).first<full_header_bytes>(), 0, Instant{});
  rig.serve(probe);
  EXPECT_EQ(rig.accounting(), (ServerAccounting{.frames = 1, .unarmed = 1}));
}

TEST(EchoServer, AnswersNoOtherSession) {
  for (const std::uint32_t bytes : {16U, 64U}) {
    ScriptedPort clock;
    Message message(bytes);
    RequestWriter({.message_bytes = bytes, .session = session + 1}).write(message, 0, clock);
    Rig rig(bytes);
    rig.serve(message);
    EXPECT_TRUE(rig.port.replies.empty());
    EXPECT_EQ(rig.accounting(), (ServerAccounting{.frames = 1, .unarmed = 1}));
  }
}

TEST(EchoServer, CountsARefusedReply) {
  for (const SendOutcome outcome : {SendOutcome::would_block, SendOutcome::failed}) {
    Rig rig(64);
    rig.port.reply_outcome = outcome;
    rig.serve(request(64, 0));
    EXPECT_EQ(rig.accounting(), (ServerAccounting{.frames = 1, .requests = 1, .reply_refused = 1}));
    EXPECT_EQ(rig.port.returned, 1U);
  }
}

TEST(EchoServer, TakesOneLooksArrivalsPerStep) {
  Rig rig(16);
  for (std::uint64_t i = 0; i < 40; ++i) {
    rig.port.arrive(request(16, i));
  }
  EXPECT_EQ(rig.server.step().arrivals, 16U);
  EXPECT_EQ(rig.server.step().arrivals, 16U);
  EXPECT_EQ(rig.server.step().arrivals, 8U);
  EXPECT_EQ(rig.server.step().arrivals, 0U);
  EXPECT_EQ(rig.port.replies.size(), 40U);
}

TEST(EchoServer, IsDesynchronisedOnlyOnAStream) {
  Rig datagrams(64);
  datagrams.serve(Message(64));
  EXPECT_FALSE(datagrams.server.desynchronised());
  ScriptedPort port;
  port.is_stream = true;
  EchoServer<ScriptedPort> server(port, test::server_plan(shape_of(64)));
  port.arrive(request(64, 0));
  server.step();
  EXPECT_FALSE(server.desynchronised());
  port.arrive(Message(64));
  server.step();
  EXPECT_TRUE(server.desynchronised());
}

TEST(EchoServer, WaitingOnPurposeIsNoGap) {
  Rig rig(64);
  rig.port.stamps = {Instant::from_ns(0), Instant::from_ns(60'000), Instant::from_ns(900'000)};
  rig.server.step();
  rig.server.step();
  rig.server.pause();
  rig.server.step();
  EXPECT_EQ(rig.server.gaps().count(), 1U);
  EXPECT_EQ(rig.server.gaps().maximum().ns(), 60'000);
}

// One flipped bit in the sequence of one request, where the form has no check: all later requests count as repeated,
// and how many were lost on the way up cannot be told any more.
TEST(EchoServer, OneAlteredSequenceDoesNotMakeTheLaterOnesRepetitions) {
  for (const std::uint32_t bytes : {9U, 16U, 20U}) {
    Rig rig(bytes);
    rig.serve(request(bytes, 0));
    Message altered = request(bytes, 1);
    altered[bytes < 16 ? bytes - 8U : 8U] ^= std::byte{0x40};
    rig.serve(altered);
    for (std::uint64_t sequence = 2; sequence < 102; ++sequence) {
      rig.serve(request(bytes, sequence));
    }
    EXPECT_EQ(rig.accounting().repeated, 0U) << bytes;
  }
}

}  // namespace
}  // namespace rtecho

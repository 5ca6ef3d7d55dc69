#include "drivers/tcp_stream_port.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "raw_stream.hpp"

namespace rtecho::drivers {
namespace {

using test::RawStream;
using test::test_preamble;
using test::test_session;

using Message = std::vector<std::byte>;

// A port whose peer is a raw stream.
struct Rig {
  explicit Rig(std::uint32_t message_bytes, Duration write_deadline = TcpStreamPort::write_deadline_default)
      : memory(4 * std::size_t{message_bytes}) {
    const Address host = Address::parse("127.0.0.1").value();
    TcpListener listener = TcpListener::listen(host).value();
    peer.emplace(listener.local());
    (void)peer->send(test_preamble);
    port.emplace(listener.accept(host, test_session, Duration::from_s(2)).value(), memory, message_bytes,
                 write_deadline);
  }
  // Looks until `count` messages have come, or the patience is over; each is copied and answered.
  std::vector<Message> answer(std::size_t count, std::chrono::milliseconds patience = std::chrono::seconds(1)) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    std::array<Arrival, limits::receive_batch> arrivals;
    std::vector<Message> messages;
    while (messages.size() < count && std::chrono::steady_clock::now() < deadline) {
      const std::size_t received = port->receive(arrivals);
      for (std::size_t i = 0; i < received; ++i) {
        messages.emplace_back(arrivals[i].bytes.begin(), arrivals[i].bytes.end());
        EXPECT_EQ(port->reply(arrivals[i]), SendOutcome::sent);
      }
    }
    return messages;
  }

  std::vector<std::byte> memory;
  std::optional<RawStream> peer;
  std::optional<TcpStreamPort> port;
};

Message numbered(std::size_t bytes, int first) {
  Message message(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    message[i] = static_cast<std::byte>(first + static_cast<int>(i));
  }
  return message;
}

TEST(TcpStreamPort, JoinsAMessageSplitAtEveryByte) {
  constexpr std::size_t bytes = 16;
  Rig rig(bytes);
  const Message message = numbered(bytes, 1);
  std::array<Arrival, 1> arrivals;
  std::uint64_t partial = 0;
  for (std::size_t split = 1; split < bytes; ++split) {
    ASSERT_TRUE(rig.peer->send(std::span(message).first(split)));
    rig.port->wait(rig.port->now() + Duration::from_s(1));
    ASSERT_EQ(rig.port->receive(arrivals), 0U) << split;
    EXPECT_EQ(rig.port->counters().partial_receives, ++partial);
    ASSERT_TRUE(rig.peer->send(std::span(message).subspan(split)));
    ASSERT_EQ(rig.answer(1), std::vector<Message>{message}) << split;
    ASSERT_EQ(rig.peer->receive(bytes), message) << split;
  }
  EXPECT_EQ(rig.port->counters().partial_receives, partial);
}

TEST(TcpStreamPort, JoinsAMessageThatComesByteByByte) {
  Rig rig(5);
  const Message message = numbered(5, 1);
  for (int round = 0; round < 3; ++round) {
    for (const std::byte byte : message) {
      ASSERT_TRUE(rig.peer->send(std::span(&byte, 1)));
      rig.port->wait(rig.port->now() + Duration::from_s(1));
    }
    ASSERT_EQ(rig.answer(1), std::vector<Message>{message});
    ASSERT_EQ(rig.peer->receive(5), message);
  }
}

// Also more of them than the port has room for.
TEST(TcpStreamPort, CutsSeveralMessagesOutOfOneSegment) {
  Rig rig(4);
  ASSERT_TRUE(rig.peer->send(numbered(8, 1)));
  ASSERT_EQ(rig.answer(2), (std::vector<Message>{numbered(4, 1), numbered(4, 5)}));
  EXPECT_EQ(rig.peer->receive(8), numbered(8, 1));
  ASSERT_TRUE(rig.peer->send(numbered(42, 0)));
  ASSERT_EQ(rig.answer(10).size(), 10U);
  EXPECT_EQ(rig.peer->receive(40), numbered(40, 0));
  ASSERT_TRUE(rig.peer->send(numbered(2, 42)));
  ASSERT_EQ(rig.answer(1), std::vector<Message>{numbered(4, 40)});
}

TEST(TcpStreamPort, KeepsWhatTheArrivalsHaveNoRoomFor) {
  Rig rig(1);
  ASSERT_TRUE(rig.peer->send(numbered(2, 1)));
  std::array<Arrival, 1> one;
  rig.port->wait(rig.port->now() + Duration::from_s(1));
  ASSERT_EQ(rig.port->receive(one), 1U);
  EXPECT_EQ(one[0].bytes[0], std::byte{1});
  rig.port->wait(rig.port->now() + Duration::from_s(1));
  ASSERT_EQ(rig.port->receive(one), 1U);
  EXPECT_EQ(one[0].bytes[0], std::byte{2});
}

TEST(TcpStreamPort, AnswersAPeerThatHalfClosed) {
  Rig rig(3);
  ASSERT_TRUE(rig.peer->send(numbered(3, 1)));
  rig.peer->end_stream();
  ASSERT_EQ(rig.answer(1).size(), 1U);
  EXPECT_EQ(rig.peer->receive(3), numbered(3, 1));
  std::array<Arrival, 1> arrivals;
  EXPECT_EQ(rig.port->receive(arrivals), 0U);
  EXPECT_EQ(rig.port->health(), PortHealth::peer_closed);
}

TEST(TcpStreamPort, SaysThatThePeerResetTheConnection) {
  Rig rig(3);
  rig.peer->reset();
  std::array<Arrival, 1> arrivals;
  rig.port->wait(rig.port->now() + Duration::from_s(1));
  EXPECT_EQ(rig.port->receive(arrivals), 0U);
  EXPECT_EQ(rig.port->health(), PortHealth::peer_closed);
  EXPECT_EQ(rig.port->send(rig.port->acquire(3)), SendOutcome::failed);
  EXPECT_EQ(rig.port->counters().receive_failed, 0U);
  EXPECT_EQ(rig.port->counters().send_failed, 0U);
}

// Replies that are pending are sent before anything else is read, in order and whole.
TEST(TcpStreamPort, ReadsNothingMoreWhileItsRepliesArePending) {
  constexpr std::uint32_t bytes = 60'000;
  Rig rig(bytes);
  Message requests;
  do {  // until one is not handed out any more, because the replies before it do not fit the kernel's buffers
    const Message request = numbered(bytes, static_cast<int>(requests.size() / bytes));
    ASSERT_TRUE(rig.peer->send(request));
    requests.insert(requests.end(), request.begin(), request.end());
    ASSERT_LT(requests.size(), 600'000'000U);
  } while (rig.answer(1, std::chrono::milliseconds(50)).size() == 1);
  EXPECT_EQ(rig.port->health(), PortHealth::open);

  Message replies;
  std::thread reader([&] { replies = rig.peer->receive(requests.size()); });
  EXPECT_EQ(rig.answer(1).size(), 1U);
  EXPECT_TRUE(rig.answer(1, std::chrono::milliseconds(200)).empty());  // pushes the rest on
  reader.join();
  EXPECT_TRUE(replies == requests);
}

// The kernel has taken a part of the last message: the next one is kept, and offered again until it is taken.
TEST(TcpStreamPort, KeepsAMessageBehindOneThatIsPending) {
  constexpr std::uint32_t bytes = 60'000;
  Rig rig(bytes);
  std::size_t sent = 0;
  Message stream;
  std::span<std::byte> kept;
  for (SendOutcome outcome = SendOutcome::sent; outcome == SendOutcome::sent;) {
    const Message message = numbered(bytes, static_cast<int>(sent++));
    stream.insert(stream.end(), message.begin(), message.end());
    kept = rig.port->acquire(bytes);
    ASSERT_EQ(kept.size(), bytes);
    std::copy(message.begin(), message.end(), kept.begin());
    outcome = rig.port->send(kept);
    ASSERT_LT(sent, 10'000U);
  }
  EXPECT_GT(rig.port->counters().partial_sends, 0U);
  EXPECT_GT(rig.port->counters().send_would_block, 0U);

  Message received;
  std::thread reader([&] { received = rig.peer->receive(stream.size()); });
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  SendOutcome outcome = SendOutcome::would_block;
  while (outcome == SendOutcome::would_block && std::chrono::steady_clock::now() < deadline) {
    EXPECT_TRUE(rig.answer(1, std::chrono::milliseconds(1)).empty());  // pushes the pending one on
    outcome = rig.port->send(kept);
  }
  EXPECT_EQ(outcome, SendOutcome::sent);
  EXPECT_TRUE(rig.answer(1, std::chrono::milliseconds(200)).empty());
  reader.join();
  EXPECT_TRUE(received == stream);
}

TEST(TcpStreamPort, WaitsForRoomWhereSomethingIsPending) {
  constexpr std::uint32_t bytes = 60'000;
  Rig rig(bytes, Duration::from_ms(30));
  while (rig.port->health() == PortHealth::open) {
    const std::span<std::byte> frame = rig.port->acquire(bytes);
    if (!frame.empty() && rig.port->send(frame) == SendOutcome::sent) {
      continue;
    }
    rig.port->wait(rig.port->now() + Duration::from_ms(10));
  }
  EXPECT_EQ(rig.port->health(), PortHealth::stalled);
  EXPECT_EQ(rig.port->counters().send_failed, 0U);
}

}  // namespace
}  // namespace rtecho::drivers

#include "drivers/tcp_connection.hpp"

#include <gtest/gtest.h>

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

class TcpListenerTest : public testing::Test {
 protected:
  Result<TcpConnection> accept(Duration timeout = Duration::from_s(3)) {
    return listener_.accept(host_, test_session, timeout);
  }
  const Address host_ = Address::parse("127.0.0.1").value();
  TcpListener listener_ = TcpListener::listen(host_).value();
};

TEST_F(TcpListenerTest, KnowsThePortThatItTook) {
  EXPECT_NE(listener_.local().port(), 0);
}

TEST_F(TcpListenerTest, RefusesAPortThatIsTaken) {
  const Result<TcpListener> second = TcpListener::listen(listener_.local());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().status, Status::in_use);
}

TEST_F(TcpListenerTest, AcceptsItsOwnClient) {
  const Result<TcpConnection> client = TcpConnection::connect(listener_.local(), test_session, Duration::from_s(1));
  ASSERT_TRUE(client);
  const Result<TcpConnection> server = accept();
  ASSERT_TRUE(server);
  EXPECT_EQ(server.value().retransmits(), 0U);
  EXPECT_EQ(client.value().retransmits(), 0U);
}

TEST_F(TcpListenerTest, ReadsThePreambleAsItIsWritten) {
  RawStream client(listener_.local());
  ASSERT_TRUE(client.is_connected());
  ASSERT_TRUE(client.send(test_preamble));
  EXPECT_TRUE(accept());
}

TEST_F(TcpListenerTest, ReadsAPreambleThatComesByteByByte) {
  RawStream client(listener_.local());
  std::thread sender([&] {
    for (const std::byte byte : test_preamble) {
      (void)client.send(std::span(&byte, 1));
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
  EXPECT_TRUE(accept());
  sender.join();
}

TEST_F(TcpListenerTest, LeavesTheBytesBehindThePreambleInTheStream) {
  RawStream client(listener_.local());
  std::vector<std::byte> bytes(test_preamble.begin(), test_preamble.end());
  bytes.push_back(std::byte{0x7A});
  ASSERT_TRUE(client.send(bytes));
  const Result<TcpConnection> server = accept();
  ASSERT_TRUE(server);
  std::array<std::byte, 2> rest{};
  EXPECT_EQ(::recv(server.value().descriptor(), rest.data(), rest.size(), MSG_DONTWAIT), 1);
  EXPECT_EQ(rest[0], std::byte{0x7A});
}

TEST_F(TcpListenerTest, TimesOutWhereNobodyComes) {
  const Result<TcpConnection> none = accept(Duration::from_ms(30));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().status, Status::timed_out);
}

TEST_F(TcpListenerTest, ClosesAWrongPreambleAndTakesTheRightOne) {
  std::vector<std::byte> foreign_session(test_preamble.begin(), test_preamble.end());
  foreign_session.back() ^= std::byte{1};
  RawStream foreign(listener_.local());
  RawStream http(listener_.local());
  RawStream gone(listener_.local());
  ASSERT_TRUE(foreign.send(foreign_session));
  ASSERT_TRUE(http.send({'G', 'E', 'T', ' '}));
  gone.reset();
  RawStream client(listener_.local());
  ASSERT_TRUE(client.send(test_preamble));
  ASSERT_TRUE(accept());
  EXPECT_TRUE(foreign.is_closed_within(1'000));
  EXPECT_TRUE(http.is_closed_within(1'000));
}

TEST_F(TcpListenerTest, ClosesAnotherHostAtOnce) {
  RawStream stranger(listener_.local(), 2);
  ASSERT_TRUE(stranger.is_connected());
  ASSERT_TRUE(stranger.send(test_preamble));
  EXPECT_FALSE(accept(Duration::from_ms(60)));
  EXPECT_TRUE(stranger.is_closed_within(0));
}

// Silent for ever would be 0.9 s each, one after the other.
TEST_F(TcpListenerTest, LetsNoSilentStrangerKeepTheClientWaiting) {
  RawStream first(listener_.local());
  RawStream second(listener_.local());
  RawStream client(listener_.local());
  ASSERT_TRUE(second.send({0x52, 0x54}));
  ASSERT_TRUE(client.send(test_preamble));
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(accept());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(800));
}

TEST_F(TcpListenerTest, ClosesTheSilentWithinASecondAndTakesTheClientBehindThem) {
  std::vector<RawStream> silent;
  for (int i = 0; i < 8; ++i) {  // as many as are awaited at a time
    silent.emplace_back(listener_.local());
    ASSERT_TRUE(silent.back().is_connected());
  }
  RawStream client(listener_.local());
  ASSERT_TRUE(client.send(test_preamble));
  EXPECT_TRUE(accept());
  for (RawStream& stream : silent) {
    EXPECT_TRUE(stream.is_closed_within(0));
  }
}

TEST(TcpConnection, SaysWhenItIsRefused) {
  std::optional<TcpListener> listener = TcpListener::listen(Address::parse("127.0.0.1").value()).value();
  const Address address = listener->local();
  listener.reset();
  const Result<TcpConnection> connection = TcpConnection::connect(address, 1, Duration::from_s(1));
  ASSERT_FALSE(connection);
  EXPECT_EQ(connection.error().status, Status::refused);
}

// A backlog that is full drops further attempts, so that they time out.
TEST(TcpConnection, GivesUpWithinItsTime) {
  const TcpListener listener = TcpListener::listen(Address::parse("127.0.0.1").value()).value();
  std::vector<TcpConnection> waiting;
  for (int i = 0; i < 64; ++i) {
    Result<TcpConnection> connection = TcpConnection::connect(listener.local(), 1, Duration::from_ms(50));
    if (!connection) {
      EXPECT_EQ(connection.error().status, Status::timed_out);
      return;
    }
    waiting.push_back(std::move(connection).value());
  }
  FAIL() << "a backlog of 8 took 64 connections";
}

TEST(TcpConnection, WorksOverIpv6) {
  Result<TcpListener> listener = TcpListener::listen(Address::parse("::1").value());
  if (!listener) {
    GTEST_SKIP() << "this machine has no IPv6 loopback address";
  }
  const Address server = listener.value().local();
  const Result<TcpConnection> client = TcpConnection::connect(server, test_session, Duration::from_s(1));
  ASSERT_TRUE(client);
  EXPECT_TRUE(listener.value().accept(server, test_session, Duration::from_s(1)));
}

}  // namespace
}  // namespace rtecho::drivers

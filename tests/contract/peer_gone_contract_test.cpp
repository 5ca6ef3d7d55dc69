// What a port makes of a peer that is not there, or sends what nobody expects.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "port_calls.hpp"
#include "port_rigs.hpp"

namespace rtecho::drivers::test {
namespace {

template <typename Rig>
class DatagramContract : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::optional<std::string> reason = Rig::missing()) {
      GTEST_SKIP() << *reason;
    }
  }
  std::array<Arrival, limits::receive_batch> arrivals_;
};

using DatagramRigs = testing::Types<UdpIpv4Rig, UdpIpv6Rig>;
TYPED_TEST_SUITE(DatagramContract, DatagramRigs);

TYPED_TEST(DatagramContract, FlagsAMessageLongerThanItsBuffer) {
  const platform::MappedMemory memory = map_memory(256);
  UdpEndpoint receiver = UdpEndpoint::bind(loopback_address(TypeParam::version)).value();
  UdpEndpoint sender = UdpEndpoint::bind(loopback_address(TypeParam::version)).value();
  ASSERT_TRUE(sender.connect(receiver.local()));
  ASSERT_TRUE(receiver.connect(sender.local()));
  UdpSocketPort port(std::move(receiver), memory.bytes());  // 128 bytes to receive into

  ASSERT_TRUE(sender.send(make_message(1, 129)));
  ASSERT_TRUE(sender.send(make_message(2, 128)));
  ASSERT_EQ(receive_soon(port, this->arrivals_), 1U);
  EXPECT_TRUE(this->arrivals_[0].truncated);
  EXPECT_EQ(this->arrivals_[0].bytes.size(), 128U);
  ASSERT_EQ(receive_soon(port, this->arrivals_), 1U);
  EXPECT_FALSE(this->arrivals_[0].truncated);
  EXPECT_EQ(copy_of(this->arrivals_[0].bytes), make_message(2, 128));
  EXPECT_EQ(port.counters().truncated, 1U);
}

TYPED_TEST(DatagramContract, DeliversAnEmptyDatagramAsAMessage) {
  TypeParam rig(64);
  ASSERT_EQ(rig.client().send(rig.client().acquire(0)), SendOutcome::sent);
  ASSERT_EQ(receive_soon(rig.server(), this->arrivals_), 1U);
  EXPECT_TRUE(this->arrivals_[0].bytes.empty());
  ASSERT_EQ(rig.server().reply(this->arrivals_[0]), SendOutcome::sent);
  rig.client().wait(rig.client().now() + Duration::from_s(1));
  ASSERT_EQ(rig.client().receive(this->arrivals_), 1U);
  EXPECT_TRUE(this->arrivals_[0].bytes.empty());
  EXPECT_EQ(rig.client().receive(this->arrivals_), 0U);
}

TYPED_TEST(DatagramContract, CountsAPeerThatIsGoneAndGoesOnWhenItIsBack) {
  TypeParam rig(64);
  rig.server_port.reset();
  for (std::uint64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(send_message(rig.client(), make_message(i, 64)), SendOutcome::sent) << "an earlier message's error";
  }
  EXPECT_EQ(rig.client().receive(this->arrivals_), 0U);
  EXPECT_GE(rig.client().counters().peer_unreachable, 4U);
  EXPECT_EQ(rig.client().health(), PortHealth::open);

  rig.open_server(rig.server_address, rig.client_address);
  ASSERT_EQ(send_message(rig.client(), make_message(9, 64)), SendOutcome::sent);
  ASSERT_TRUE(answer_one(rig.server()));
  EXPECT_EQ(take_message(rig.client()), make_message(9, 64));
  EXPECT_EQ(rig.client().counters().send_failed, 0U);
  EXPECT_EQ(rig.client().counters().receive_failed, 0U);
}

TYPED_TEST(DatagramContract, RefusesWhatNoDatagramCarries) {
  TypeParam rig(64);
  EXPECT_EQ(send_message(rig.client(), make_message(1, 65'536)), SendOutcome::failed);
  EXPECT_EQ(rig.client().counters().send_failed, 1U);
  ASSERT_EQ(send_message(rig.client(), make_message(2, 64)), SendOutcome::sent);
  EXPECT_EQ(take_message(rig.server()), make_message(2, 64));
}

TEST(StreamContract, SaysThatThePeerClosed) {
  TcpRig rig(64);
  ASSERT_EQ(send_message(rig.client(), make_message(1, 64)), SendOutcome::sent);
  rig.client_port.reset();
  EXPECT_EQ(take_message(rig.server()), make_message(1, 64)) << "what was sent before is still delivered";
  std::array<Arrival, 1> arrivals;
  rig.server().wait(rig.server().now() + Duration::from_s(1));
  EXPECT_EQ(rig.server().receive(arrivals), 0U);
  EXPECT_EQ(rig.server().health(), PortHealth::peer_closed);
}

TEST(StreamContract, SendsToAPeerThatClosedWithoutASignal) {
  TcpRig rig(64);
  rig.server_port.reset();
  SendOutcome outcome = SendOutcome::sent;
  for (int i = 0; i < 1'000 && outcome == SendOutcome::sent; ++i) {  // the first may leave before the reset comes
    outcome = send_message(rig.client(), make_message(1, 64));
  }
  EXPECT_EQ(outcome, SendOutcome::failed);
  EXPECT_EQ(rig.client().health(), PortHealth::peer_closed);
}

TEST(StreamContract, StallsWhenThePeerDoesNotReadForTheWriteDeadline) {
  TcpRig rig(60'000, Duration::from_ms(50));
  std::array<Arrival, 1> arrivals;
  while (send_message(rig.client(), make_message(1, 60'000)) == SendOutcome::sent) {
  }
  EXPECT_EQ(rig.client().health(), PortHealth::open);
  for (int i = 0; i < 1'000 && rig.client().health() == PortHealth::open; ++i) {
    rig.client().wait(rig.client().now() + Duration::from_ms(10));
    EXPECT_EQ(rig.client().receive(arrivals), 0U);
    (void)send_message(rig.client(), make_message(1, 60'000));  // the kernel may have had a little room left
  }
  EXPECT_EQ(rig.client().health(), PortHealth::stalled);
}

// Full buffers in both directions: the client must go on reading while its own message is pending.
TEST(StreamContract, CannotBeDeadlockedByFullBuffersInBothDirections) {
  constexpr std::uint32_t bytes = 60'000;
  TcpRig rig(bytes);
  std::array<Arrival, limits::receive_batch> arrivals;
  std::uint64_t sent = 0;
  bool is_full = false;
  for (int i = 0; i < 100'000 && !is_full; ++i) {
    is_full = send_message(rig.client(), make_message(sent, bytes)) != SendOutcome::sent;
    sent += is_full ? 0 : 1;
    const std::size_t count = rig.server().receive(arrivals);
    for (std::size_t k = 0; k < count; ++k) {
      ASSERT_EQ(rig.server().reply(arrivals[k]), SendOutcome::sent);
      is_full = false;
    }
  }
  ASSERT_TRUE(is_full);
  std::uint64_t received = 0;
  for (int i = 0; i < 1'000'000 && received < sent; ++i) {
    const std::size_t requests = rig.server().receive(arrivals);
    for (std::size_t k = 0; k < requests; ++k) {
      ASSERT_EQ(rig.server().reply(arrivals[k]), SendOutcome::sent);
    }
    const std::size_t replies = rig.client().receive(arrivals);
    for (std::size_t k = 0; k < replies; ++k) {
      ASSERT_EQ(copy_of(arrivals[k].bytes), make_message(received++, bytes));
    }
  }
  EXPECT_EQ(received, sent);
  EXPECT_GT(rig.server().counters().partial_sends, 0U);
  EXPECT_EQ(rig.client().health(), PortHealth::open);
}

}  // namespace
}  // namespace rtecho::drivers::test

#include "drivers/udp_socket_port.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

namespace rtecho::drivers {
namespace {

// A port whose peer is an endpoint that sends what it likes.
struct Rig {
  explicit Rig(const char* address = "127.0.0.1")
      : peer(UdpEndpoint::bind(Address::parse(address).value()).value()), port(open(peer), memory) {}

  static UdpEndpoint open(UdpEndpoint& peer) {
    UdpEndpoint endpoint = UdpEndpoint::bind(peer.local().with_port(0)).value();
    EXPECT_TRUE(endpoint.connect(peer.local()));
    EXPECT_TRUE(peer.connect(endpoint.local()));
    return endpoint;
  }

  std::vector<std::byte> memory = std::vector<std::byte>(UdpSocketPort::memory_bytes);
  UdpEndpoint peer;
  UdpSocketPort port;
};

TEST(UdpSocketPort, CarriesAsMuchAsItsIpVersion) {
  EXPECT_EQ(Rig().port.capabilities().message_bytes_max, 65'507U);
  EXPECT_EQ(Rig().port.capabilities().receive_batch_max, 1U);
  EXPECT_FALSE(Rig().port.capabilities().stream);
  if (!UdpEndpoint::bind(Address::parse("::1").value())) {
    GTEST_SKIP() << "this machine has no IPv6 loopback address";
  }
  EXPECT_EQ(Rig("::1").port.capabilities().message_bytes_max, 65'527U);
}

TEST(UdpSocketPort, CarriesNoMoreThanItsMemory) {
  Rig rig;
  UdpEndpoint other = UdpEndpoint::bind(rig.peer.local().with_port(0)).value();
  ASSERT_TRUE(other.connect(rig.peer.local()));
  std::array<std::byte, 64> memory{};
  UdpSocketPort port(std::move(other), memory);
  EXPECT_EQ(port.capabilities().message_bytes_max, 32U);
  EXPECT_EQ(port.acquire(32).size(), 32U);
  EXPECT_TRUE(port.acquire(33).empty());
}

TEST(UdpSocketPort, LeavesADatagramWhereItIsWhenThereIsNoRoomForAnArrival) {
  Rig rig;
  std::array<Arrival, 1> arrivals;
  ASSERT_TRUE(rig.peer.send(std::array{std::byte{7}}));
  rig.port.wait(rig.port.now() + Duration::from_s(1));
  EXPECT_EQ(rig.port.receive({}), 0U);
  EXPECT_EQ(rig.port.receive(arrivals), 1U);
  ASSERT_TRUE(rig.peer.send(std::array{std::byte{7}}));
  EXPECT_EQ(rig.port.receive({}), 0U);
  EXPECT_EQ(rig.port.receive(arrivals), 1U);
}

// The first was received by the wait: the next one must neither overwrite nor overtake it.
TEST(UdpSocketPort, DeliversWhatAWaitReceivedBeforeWhatCameAfterIt) {
  Rig rig;
  std::array<Arrival, 2> arrivals;
  ASSERT_TRUE(rig.peer.send(std::array{std::byte{1}}));
  rig.port.wait(rig.port.now() + Duration::from_s(1));
  ASSERT_TRUE(rig.peer.send(std::array{std::byte{2}}));
  rig.port.wait(rig.port.now() + Duration::from_s(1));
  ASSERT_EQ(rig.port.receive(arrivals), 1U);
  EXPECT_EQ(arrivals[0].bytes[0], std::byte{1});
  ASSERT_EQ(rig.port.receive(arrivals), 1U);
  EXPECT_EQ(arrivals[0].bytes[0], std::byte{2});
  EXPECT_EQ(rig.port.receive(arrivals), 0U);
}

TEST(UdpSocketPort, CountsARefusalThatAWaitMeets) {
  Rig rig;
  rig.peer = UdpEndpoint::bind(rig.peer.local().with_port(0)).value();  // closes the old one
  ASSERT_EQ(rig.port.send(rig.port.acquire(1)), SendOutcome::sent);
  rig.port.wait(rig.port.now() + Duration::from_s(1));
  EXPECT_EQ(rig.port.counters().peer_unreachable, 1U);
  std::array<Arrival, 1> arrivals;
  EXPECT_EQ(rig.port.receive(arrivals), 0U);
  EXPECT_EQ(rig.port.counters().receive_failed, 0U);
}

TEST(UdpSocketPort, CanBeMovedWithWhatItHolds) {
  Rig rig;
  ASSERT_TRUE(rig.peer.send(std::array{std::byte{1}}));
  rig.port.wait(rig.port.now() + Duration::from_s(1));
  UdpSocketPort moved = std::move(rig.port);
  std::array<Arrival, 1> arrivals;
  ASSERT_EQ(moved.receive(arrivals), 1U);
  EXPECT_EQ(moved.reply(arrivals[0]), SendOutcome::sent);
  std::array<std::byte, 8> buffer{};
  EXPECT_TRUE(rig.peer.receive(buffer, Duration::from_s(1)));
}

}  // namespace
}  // namespace rtecho::drivers

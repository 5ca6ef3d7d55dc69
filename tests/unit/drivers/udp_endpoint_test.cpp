#include "drivers/udp_endpoint.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace rtecho::drivers {
namespace {

const std::array<std::byte, 3> probe{std::byte{1}, std::byte{2}, std::byte{3}};

Address host() {
  return Address::parse("127.0.0.1").value();
}
UdpEndpoint open_endpoint() {
  return UdpEndpoint::bind(host()).value();
}

TEST(UdpEndpoint, KnowsThePortThatItTook) {
  const UdpEndpoint endpoint = open_endpoint();
  EXPECT_TRUE(endpoint.local().same_host(host()));
  EXPECT_NE(endpoint.local().port(), 0);
}

TEST(UdpEndpoint, RefusesAPortThatIsTakenAndAnAddressOfSomeoneElse) {
  const UdpEndpoint endpoint = open_endpoint();
  EXPECT_EQ(UdpEndpoint::bind(endpoint.local()).error().status, Status::in_use);
  EXPECT_EQ(UdpEndpoint::bind(Address::parse("192.0.2.1").value()).error().status, Status::not_found);
}

TEST(UdpEndpoint, KnowsItsAddressOnceItIsConnected) {
  const UdpEndpoint peer = open_endpoint();
  UdpEndpoint endpoint = UdpEndpoint::bind(Address::any(IpVersion::ipv4)).value();
  const std::uint16_t port = endpoint.local().port();
  EXPECT_FALSE(endpoint.is_connected());
  ASSERT_TRUE(endpoint.connect(peer.local()));
  EXPECT_TRUE(endpoint.is_connected());
  EXPECT_EQ(endpoint.local(), host().with_port(port));
}

TEST(UdpEndpoint, CannotConnectToTheOtherIpVersion) {
  UdpEndpoint endpoint = open_endpoint();
  EXPECT_FALSE(endpoint.connect(Address::parse("[::1]:7007").value()));
  EXPECT_FALSE(endpoint.is_connected());
}

// Linux doubles what is asked for, and grants at least net.core.rmem_max of it, 208 KiB unless somebody lowered it.
TEST(UdpEndpoint, ReadsBackWhatBuffersItWasGranted) {
  const UdpEndpoint endpoint = open_endpoint();
  EXPECT_GE(endpoint.receive_buffer_bytes(), 2U * 212'992U);
  EXPECT_GE(endpoint.send_buffer_bytes(), 2U * 212'992U);
}

TEST(UdpEndpoint, ExchangesAProbe) {
  UdpEndpoint a = open_endpoint();
  UdpEndpoint b = open_endpoint();
  ASSERT_TRUE(a.connect(b.local()));
  ASSERT_TRUE(b.connect(a.local()));
  ASSERT_TRUE(a.send(probe));
  std::array<std::byte, 8> buffer{};
  const Result<std::size_t> received = b.receive(buffer, Duration::from_s(1));
  ASSERT_TRUE(received);
  EXPECT_EQ(received.value(), 3U);
  EXPECT_EQ(buffer[2], std::byte{3});
}

TEST(UdpEndpoint, TimesOutWhereNoProbeComes) {
  UdpEndpoint a = open_endpoint();
  const UdpEndpoint b = open_endpoint();
  ASSERT_TRUE(a.connect(b.local()));
  std::array<std::byte, 8> buffer{};
  EXPECT_EQ(a.receive(buffer, Duration::from_ms(20)).error().status, Status::timed_out);
}

TEST(UdpEndpoint, PassesOverAPeerThatIsNotThereYet) {
  UdpEndpoint a = open_endpoint();
  Address absent;
  {
    const UdpEndpoint soon_gone = open_endpoint();
    absent = soon_gone.local();
  }
  ASSERT_TRUE(a.connect(absent));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(a.send(probe));
  }
  std::array<std::byte, 8> buffer{};
  EXPECT_EQ(a.receive(buffer, Duration::from_ms(20)).error().status, Status::timed_out);

  UdpEndpoint back = UdpEndpoint::bind(absent).value();
  ASSERT_TRUE(back.connect(a.local()));
  ASSERT_TRUE(back.send(probe));
  EXPECT_TRUE(a.receive(buffer, Duration::from_s(1)));
}

TEST(UdpEndpoint, ThrowsAwayWhatArrivedBeforeItWasConnected) {
  UdpEndpoint endpoint = open_endpoint();
  UdpEndpoint peer = open_endpoint();
  UdpEndpoint stranger = open_endpoint();
  ASSERT_TRUE(stranger.connect(endpoint.local()));
  ASSERT_TRUE(peer.connect(endpoint.local()));
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(stranger.send(probe));
    ASSERT_TRUE(peer.send({}));
  }
  ASSERT_TRUE(endpoint.connect(peer.local()));
  std::array<std::byte, 8> buffer{};
  EXPECT_EQ(endpoint.receive(buffer, Duration::from_ms(20)).error().status, Status::timed_out);
}

TEST(UdpEndpoint, HearsNobodyButItsPeerOnceItIsConnected) {
  UdpEndpoint endpoint = open_endpoint();
  UdpEndpoint peer = open_endpoint();
  UdpEndpoint stranger = open_endpoint();
  ASSERT_TRUE(endpoint.connect(peer.local()));
  ASSERT_TRUE(peer.connect(endpoint.local()));
  ASSERT_TRUE(stranger.connect(endpoint.local()));
  (void)stranger.send(probe);
  ASSERT_TRUE(peer.send({}));
  std::array<std::byte, 8> buffer{};
  const Result<std::size_t> received = endpoint.receive(buffer, Duration::from_s(1));
  ASSERT_TRUE(received);
  EXPECT_EQ(received.value(), 0U) << "the peer's empty datagram, not the stranger's three bytes";
}

}  // namespace
}  // namespace rtecho::drivers

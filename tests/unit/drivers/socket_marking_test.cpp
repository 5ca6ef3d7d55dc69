#include "drivers/socket_marking.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "drivers/tcp_connection.hpp"
#include "drivers/udp_endpoint.hpp"

namespace rtecho::drivers {
namespace {

constexpr std::uint8_t expedited = 46;
constexpr SocketMarking nothing_asked{};

int option_of(int socket, int level, int name) {
  int value = -1;
  socklen_t length = sizeof(value);
  EXPECT_EQ(::getsockopt(socket, level, name, &value, &length), 0);
  return value;
}

Address loopback(IpVersion version) {
  return Address::parse(version == IpVersion::ipv4 ? "127.0.0.1" : "::1").value();
}

SocketMarking marking() {
  SocketMarking asked;
  asked.differentiated_services = expedited;
  asked.priority = 5;
  return asked;
}

TEST(SocketMarking, MarksDatagrams) {
  const UdpEndpoint plain = UdpEndpoint::bind(loopback(IpVersion::ipv4), nothing_asked).value();
  EXPECT_EQ(option_of(plain.descriptor(), IPPROTO_IP, IP_TOS), 0);
  EXPECT_EQ(option_of(plain.descriptor(), SOL_SOCKET, SO_PRIORITY), 0);
  const UdpEndpoint marked = UdpEndpoint::bind(loopback(IpVersion::ipv4), marking()).value();
  EXPECT_EQ(option_of(marked.descriptor(), IPPROTO_IP, IP_TOS), expedited << 2);
  EXPECT_EQ(option_of(marked.descriptor(), SOL_SOCKET, SO_PRIORITY), 5) << "the code point brings one of its own";
}

TEST(SocketMarking, MarksIpv6) {
  const auto marked = UdpEndpoint::bind(loopback(IpVersion::ipv6), marking());
  if (!marked) {
    GTEST_SKIP() << "this machine has no loopback address of IPv6";
  }
  EXPECT_EQ(option_of(marked.value().descriptor(), IPPROTO_IPV6, IPV6_TCLASS), expedited << 2);
}

TEST(SocketMarking, MarksBothEndsOfAStream) {
  constexpr std::uint64_t session = 42;
  TcpListener listener = TcpListener::listen(loopback(IpVersion::ipv4), marking()).value();
  const TcpConnection client =
      TcpConnection::connect(listener.local(), session, Duration::from_s(2), marking()).value();
  const TcpConnection server = listener.accept(loopback(IpVersion::ipv4), session, Duration::from_s(2)).value();
  for (const TcpConnection* end : {&client, &server}) {
    EXPECT_EQ(option_of(end->descriptor(), IPPROTO_IP, IP_TOS), expedited << 2);
    EXPECT_EQ(option_of(end->descriptor(), SOL_SOCKET, SO_PRIORITY), 5);
  }
}

TEST(SocketMarking, RefusesADeviceThatIsNotThere) {
  SocketMarking asked;
  asked.device = "nosuchdevice";
  const auto endpoint = UdpEndpoint::bind(loopback(IpVersion::ipv4), asked);
  ASSERT_FALSE(endpoint);
  EXPECT_NE(endpoint.error().os_code, 0);
}

TEST(SocketMarking, BindsToItsDevice) {
  SocketMarking asked;
  asked.device = "lo";
  EXPECT_TRUE(UdpEndpoint::bind(loopback(IpVersion::ipv4), asked));
}

}  // namespace
}  // namespace rtecho::drivers

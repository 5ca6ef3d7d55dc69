#include "drivers/shadow_socket.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "ring_rig.hpp"

namespace rtecho::drivers {
namespace {

using test::Frame;

constexpr Ipv4Endpoint local{.address = 0x0A090001, .port = 7'007};
constexpr Ipv4Endpoint peer{.address = 0x0A090002, .port = 40'000};

TEST(ShadowSocket, TakesAFreePort) {
  const Result<ShadowSocket> socket = ShadowSocket::bind({.address = 0x7F000001, .port = 0});
  ASSERT_TRUE(socket);
  EXPECT_GT(socket.value().local_port(), 0U);
}

TEST(ShadowSocket, KeepsItsPortFromOthers) {
  const ShadowSocket socket = ShadowSocket::bind({.address = 0x7F000001, .port = 0}).value();
  const Result<ShadowSocket> second = ShadowSocket::bind({.address = 0x7F000001, .port = socket.local_port()});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().status, Status::in_use);
}

TEST(ShadowSocket, NeedsAnAddressOfTheKernels) {
  const Result<ShadowSocket> socket = ShadowSocket::bind({.address = 0xC0000201, .port = 0});
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().status, Status::not_found);
}

class ShadowSocketOfAPair : public test::RingTest {
 protected:
  void SetUp() override {
    make_pair({.near = {.name = "near", .mac = "02:00:00:00:00:0a", .ipv4 = "10.9.0.1/24"}});
    if (!IsSkipped()) {
      ASSERT_TRUE(pair->near_ip({"neigh", "add", "10.9.0.2", "dev", "near", "lladdr", "02:00:00:00:00:0b"}));
      FrameSelection chosen = selection();
      chosen.udp = UdpSelection{.local = local, .peer = peer};
      port.emplace(PacketRing::open(near, chosen).value());
    }
  }

  // One datagram for the ring, and what the kernel has to say about it. Datagrams that have gone through the kernel
  // leave an answer or a count: both are looked at.
  bool is_answered_by_the_kernel() {
    test::Ipv4Frame datagram{.from = peer.address, .to = local.address};
    datagram.ethernet = header();
    datagram.ethernet.type = ether_type::ipv4;
    datagram.payload = test::udp_payload(peer.port, local.port, 64);
    EXPECT_TRUE(far_socket->send(datagram.bytes()));
    const std::vector<FrameArrival> arrivals = receive(*port, 1);
    EXPECT_EQ(arrivals.size(), 1U);
    for (const FrameArrival& arrival : arrivals) {
      port->release(arrival);
    }
    return far_socket->receive(Duration::from_ms(300)).has_value();
  }

  // /proc/net is the calling process's; the thread has its own.
  static std::string udp_counters() {
    std::ifstream file("/proc/thread-self/net/snmp");
    std::string line;
    std::string last;
    while (std::getline(file, line)) {
      last = line.rfind("Udp:", 0) == 0 ? line : last;
    }
    return last;
  }
  // "Udp: InDatagrams NoPorts InErrors …"
  static int no_ports() { return counter(2); }
  static int errors() { return counter(3); }
  static int counter(int column) {
    std::istringstream words(udp_counters());
    std::string word;
    for (int i = 0; i <= column; ++i) {
      words >> word;
    }
    return std::stoi(word);
  }

  std::optional<RingPort> port;
};

TEST_F(ShadowSocketOfAPair, KeepsTheKernelQuiet) {
  EXPECT_TRUE(is_answered_by_the_kernel());
  EXPECT_EQ(no_ports(), 1);
  {
    ShadowSocket socket = ShadowSocket::bind(local).value();
    ASSERT_TRUE(socket.connect(peer));
    EXPECT_EQ(socket.local_port(), 7'007U);
    EXPECT_FALSE(is_answered_by_the_kernel());
    EXPECT_EQ(no_ports(), 1);
    EXPECT_EQ(errors(), 1);
  }
  EXPECT_TRUE(is_answered_by_the_kernel());
}

}  // namespace
}  // namespace rtecho::drivers

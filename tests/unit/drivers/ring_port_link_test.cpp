// What a ring does while its interface goes down, comes up, gets another name, moves or goes for good.
#include <gtest/gtest.h>

#include <cstring>

#include "drivers/ring_port.hpp"
#include "ring_rig.hpp"

namespace rtecho::drivers {
namespace {

using test::ethernet_frame;
using test::Frame;

class RingPortLink : public test::RingTest, public testing::WithParamInterface<TransmitWay> {
 protected:
  void SetUp() override {
    test::RingTest::SetUp();
    if (!IsSkipped()) {
      port.emplace(open_port({.frames = 16, .way = GetParam()}));
    }
  }

  SendOutcome send() {
    const Frame frame =
        ethernet_frame({.destination = far_mac, .source = near.mac, .tag = std::nullopt, .type = ether_type::echo}, 46);
    const std::span<std::byte> lent = port->acquire(frame.size());
    std::memcpy(lent.data(), frame.data(), lent.size());
    return port->send(lent);
  }
  void expect_echo() {
    ASSERT_TRUE(far_socket->send(ethernet_frame(header(), 46)));
    const std::vector<FrameArrival> arrivals = receive(*port, 1);
    ASSERT_EQ(arrivals.size(), 1U);
    EXPECT_EQ(port->reply(arrivals[0], arrivals[0].bytes), SendOutcome::sent);
    EXPECT_TRUE(far_socket->receive());
  }
  void wait_shortly() { port->wait(port->now() + Duration::from_ms(1)); }
  bool set_near(const char* state) const { return pair->near_ip({"link", "set", "near", state}); }

  std::optional<RingPort> port;
};

INSTANTIATE_TEST_SUITE_P(Ways, RingPortLink, testing::Values(TransmitWay::send, TransmitWay::ring),
                         [](const auto& each) { return each.param == TransmitWay::send ? "Send" : "Ring"; });

TEST_P(RingPortLink, CountsWhatItCannotSendWhileTheInterfaceIsDownAndGoesOn) {
  ASSERT_TRUE(set_near("down"));
  EXPECT_EQ(send(), SendOutcome::would_block);
  EXPECT_EQ(send(), SendOutcome::would_block);
  EXPECT_EQ(port->counters().link_down, 2U);
  wait_shortly();
  EXPECT_EQ(port->health(), PortHealth::open);
  ASSERT_TRUE(set_near("up"));
  expect_echo();
  EXPECT_EQ(send(), SendOutcome::sent);
  EXPECT_EQ(port->counters().link_down, 2U);
  EXPECT_EQ(port->counters().send_failed, 0U);
}

// The error that the interface left with the socket is the first send's.
TEST_P(RingPortLink, RecoversWhenItNeitherSentNorWaitedMeanwhile) {
  ASSERT_TRUE(set_near("down"));
  ASSERT_TRUE(set_near("up"));
  EXPECT_EQ(send(), SendOutcome::would_block);
  EXPECT_EQ(send(), SendOutcome::sent);
  EXPECT_EQ(port->counters().link_down, 1U);
  EXPECT_TRUE(far_socket->receive());
  expect_echo();
}

TEST_P(RingPortLink, DoesNotSpinInAWaitWhileTheInterfaceIsDown) {
  ASSERT_TRUE(set_near("down"));
  wait_shortly();  // takes the error
  const Instant before = port->now();
  port->wait(before + Duration::from_ms(10));
  EXPECT_GE(port->now() - before, Duration::from_ms(9));
  EXPECT_EQ(port->health(), PortHealth::open);
}

TEST_P(RingPortLink, RefusesWithoutALinkPartnerAndGoesOn) {
  ASSERT_TRUE(pair->far_ip({"link", "set", "far", "down"}));
  EXPECT_EQ(send(), SendOutcome::would_block);
  EXPECT_EQ(port->counters().link_down + port->counters().send_no_buffer, 1U);
  wait_shortly();
  EXPECT_EQ(port->health(), PortHealth::open);
  // The kernel's own word for it comes up to a second later.
  const Instant deadline = port->now() + Duration::from_s(5);
  while (port->counters().link_down == 0 && port->now() < deadline) {
    EXPECT_EQ(send(), SendOutcome::would_block);
    wait_shortly();
  }
  EXPECT_GT(port->counters().link_down, 0U);
  ASSERT_TRUE(pair->far_ip({"link", "set", "far", "up"}));
  EXPECT_EQ(send(), SendOutcome::sent);
}

TEST_P(RingPortLink, IsClosedWhenTheInterfaceHasGone) {
  ASSERT_TRUE(pair->near_ip({"link", "delete", "near"}));
  EXPECT_EQ(send(), SendOutcome::failed);
  EXPECT_EQ(port->health(), PortHealth::peer_closed);
  EXPECT_EQ(port->counters().send_failed, 1U);
}

TEST_P(RingPortLink, FindsOutInAWaitThatTheInterfaceHasGone) {
  ASSERT_TRUE(pair->near_ip({"link", "delete", "near"}));
  wait_shortly();
  EXPECT_EQ(port->health(), PortHealth::peer_closed);
}

// The error is that of going down, and nothing is said when it then goes.
TEST_P(RingPortLink, FindsOutThatTheInterfaceHasGoneAfterItWentDown) {
  ASSERT_TRUE(set_near("down"));
  wait_shortly();
  EXPECT_EQ(port->health(), PortHealth::open);
  ASSERT_TRUE(pair->near_ip({"link", "delete", "near"}));
  wait_shortly();
  EXPECT_EQ(port->health(), PortHealth::peer_closed);
}

TEST_P(RingPortLink, IsClosedWhenTheInterfaceMovesToAnotherNamespace) {
  const std::string far =
      "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(pair->far_namespace().number());
  ASSERT_TRUE(pair->near_ip({"link", "set", "near", "netns", far}));
  wait_shortly();
  EXPECT_EQ(port->health(), PortHealth::peer_closed);
}

TEST_P(RingPortLink, GoesOnUnderAnotherName) {
  ASSERT_TRUE(pair->near_ip({"link", "set", "near", "name", "renamed"}));
  wait_shortly();
  EXPECT_EQ(port->health(), PortHealth::open);
  expect_echo();
  EXPECT_EQ(send(), SendOutcome::sent);
}

TEST_P(RingPortLink, RefusesFramesThatAreLongerThanANewMtu) {
  ASSERT_TRUE(pair->near_ip({"link", "set", "near", "mtu", "1000"}));
  const Frame frame = ethernet_frame(
      {.destination = far_mac, .source = near.mac, .tag = std::nullopt, .type = ether_type::echo}, 1'400);
  const std::span<std::byte> lent = port->acquire(frame.size());
  std::memcpy(lent.data(), frame.data(), lent.size());
  EXPECT_EQ(port->send(lent), SendOutcome::failed);
  EXPECT_EQ(port->counters().send_failed, 1U);
  for (int i = 0; i < 40; ++i) {  // the transmit ring's places still agree
    ASSERT_EQ(send(), SendOutcome::sent);
    ASSERT_TRUE(far_socket->receive());
  }
}

}  // namespace
}  // namespace rtecho::drivers

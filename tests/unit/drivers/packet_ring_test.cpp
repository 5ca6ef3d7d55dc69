#include "drivers/packet_ring.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "ring_rig.hpp"

namespace rtecho::drivers {
namespace {

using PacketRingOfAPair = test::RingTest;

TEST(PacketRing, RefusesTheLoopbackInterfaceAndWhatIsNoEthernet) {
  const FrameSelection selection{.local = MacAddress({std::byte{2}}), .vlan_id = std::nullopt, .udp = std::nullopt};
  const Result<PacketRing> loopback = PacketRing::open({.name = "lo", .is_up = true, .is_loopback = true}, selection);
  ASSERT_FALSE(loopback);
  EXPECT_EQ(loopback.error().status, Status::unsupported);
  const Result<PacketRing> tunnel = PacketRing::open({.name = "tunnel", .is_up = true}, selection);
  ASSERT_FALSE(tunnel);
  EXPECT_EQ(tunnel.error().status, Status::unsupported);
}

TEST_F(PacketRingOfAPair, IsGrantedAsPlanned) {
  const PacketRing ring = PacketRing::open(near, selection()).value();
  EXPECT_EQ(ring.frames(), 256U);
  EXPECT_EQ(ring.slot_bytes(), 2'048U);
  EXPECT_EQ(ring.mtu(), 1'500U);
  EXPECT_EQ(ring.way(), TransmitWay::send);
  EXPECT_EQ(ring.staging().size(), 1'518U);
}

TEST_F(PacketRingOfAPair, RoundsItsFramesUpToWholeBlocks) {
  EXPECT_EQ(PacketRing::open(near, selection(), {.frames = 1}).value().frames(), 16U);
  EXPECT_EQ(PacketRing::open(near, selection(), {.frames = 16}).value().frames(), 16U);
  EXPECT_EQ(PacketRing::open(near, selection(), {.frames = 17}).value().frames(), 32U);
  EXPECT_EQ(PacketRing::open(near, selection(), {.frames = 4'096}).value().frames(), 4'096U);
}

TEST_F(PacketRingOfAPair, HasSlotsForEveryMtu) {
  ASSERT_TRUE(pair->near_ip({"link", "set", "near", "mtu", "9000"}));
  const Interface jumbo = find_interface("near").value();
  EXPECT_EQ(PacketRing::open(jumbo, selection()).value().slot_bytes(), 16'384U);
  ASSERT_TRUE(pair->near_ip({"link", "set", "near", "mtu", "65535"}));
  const Interface largest = find_interface("near").value();
  EXPECT_EQ(PacketRing::open(largest, selection(), {.frames = 16}).value().slot_bytes(), 131'072U);
}

TEST_F(PacketRingOfAPair, RefusesAPlanOutsideItsRange) {
  auto status = [&](const FrameSelection& chosen, const RingPlan& plan) {
    const Result<PacketRing> ring = PacketRing::open(near, chosen, plan);
    return ring ? Status::failed : ring.error().status;
  };
  EXPECT_EQ(status(selection(), {.frames = 0}), Status::invalid);
  EXPECT_EQ(status(selection(), {.frames = 4'097}), Status::invalid);
  FrameSelection wrong = selection();
  wrong.local = MacAddress::broadcast();
  EXPECT_EQ(status(wrong, {}), Status::invalid);
  wrong = selection();
  wrong.vlan_id = 4'095;
  EXPECT_EQ(status(wrong, {}), Status::invalid);
  wrong.vlan_id = 1;
  EXPECT_EQ(status(wrong, {.tap = TapPoint::behind_protocols}), Status::invalid);
  wrong = selection();
  wrong.udp = UdpSelection{.local = {}, .peer = {}, .own_address = true};
  EXPECT_EQ(status(wrong, {.tap = TapPoint::behind_protocols}), Status::invalid);
}

TEST_F(PacketRingOfAPair, SaysThatTheInterfaceIsDown) {
  ASSERT_TRUE(pair->near_ip({"link", "set", "near", "down"}));
  // With what was known while it was up, too.
  for (const Interface& interface : {near, find_interface("near").value()}) {
    const Result<PacketRing> ring = PacketRing::open(interface, selection());
    ASSERT_FALSE(ring);
    EXPECT_EQ(ring.error().status, Status::failed);
    EXPECT_STREQ(ring.error().context, "interface is down");
  }
}

TEST_F(PacketRingOfAPair, IsNotFoundWhenTheInterfaceHasGone) {
  ASSERT_TRUE(pair->near_ip({"link", "delete", "near"}));
  const Result<PacketRing> ring = PacketRing::open(near, selection());
  ASSERT_FALSE(ring);
  EXPECT_EQ(ring.error().status, Status::not_found);
}

TEST_F(PacketRingOfAPair, TakesAPriority) {
  EXPECT_TRUE(PacketRing::open(near, selection(), {.priority = 0}));
  EXPECT_TRUE(PacketRing::open(near, selection(), {.priority = 6}));
}

TEST_F(PacketRingOfAPair, IsDeniedWithoutPrivilege) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setresuid(65534, 65534, 65534) != 0) {
      ::_exit(1);
    }
    const Result<PacketRing> ring = PacketRing::open(near, selection());
    ::_exit(!ring && ring.error().status == Status::denied &&
                    std::string(ring.error().context).find("CAP_NET_RAW") != std::string::npos
                ? 0
                : 2);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(PacketRingOfAPair, CanBeMoved) {
  PacketRing ring = PacketRing::open(near, selection(), {.frames = 16}).value();
  PacketRing other = PacketRing::open(near, selection(), {.frames = 64}).value();
  const int socket = other.descriptor();
  ring = std::move(other);
  EXPECT_EQ(ring.frames(), 64U);
  EXPECT_EQ(ring.descriptor(), socket);
  ring.receive_slot(63)[2'047] = std::byte{1};  // mapped
}

// Why the place before the protocols is the usual one.
TEST_F(PacketRingOfAPair, CannotTellTaggedFramesBehindTheProtocols) {
  RingPort port = open_port({.tap = TapPoint::behind_protocols});
  EthernetHeader tagged = header();
  tagged.tag = VlanTag{.id = 5, .priority = 0};
  ASSERT_TRUE(far_socket->send(test::ethernet_frame(tagged, 46)));
  const auto arrivals = receive(port, 1);
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_FALSE(arrivals[0].tag_was_stripped);
}

TEST_F(PacketRingOfAPair, HoldsNothingFromBeforeItWasOpened) {
  ASSERT_TRUE(far_socket->send(test::ethernet_frame(header(), 46)));
  RingPort port = open_port();
  ASSERT_TRUE(far_socket->send(test::ethernet_frame(header(), 47)));
  const auto arrivals = receive(port, 1);
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].bytes.size(), 61U);
}

}  // namespace
}  // namespace rtecho::drivers

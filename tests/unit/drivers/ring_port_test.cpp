#include "drivers/ring_port.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "drivers/udp_endpoint.hpp"
#include "ring_rig.hpp"

namespace rtecho::drivers {
namespace {

using test::CaughtFrame;
using test::ethernet_frame;
using test::Frame;

// Each test with frames sent by send() and by the transmit ring.
class RingPortBothWays : public test::RingTest, public testing::WithParamInterface<TransmitWay> {
 protected:
  [[nodiscard]] RingPort open() const { return open_port({.frames = 16, .way = GetParam()}); }

  // A frame from the near to the far end.
  [[nodiscard]] Frame outward(std::size_t payload_bytes, const std::optional<VlanTag>& tag = std::nullopt) const {
    return ethernet_frame({.destination = far_mac, .source = near.mac, .tag = tag, .type = ether_type::echo},
                          payload_bytes);
  }
  static SendOutcome send(RingPort& port, const Frame& frame) {
    const std::span<std::byte> lent = port.acquire(frame.size());
    EXPECT_EQ(lent.size(), frame.size());
    std::memcpy(lent.data(), frame.data(), lent.size());
    return port.send(lent);
  }
  // As an echo server does, the tag excepted.
  static std::span<std::byte> turned_round(const FrameArrival& arrival) {
    std::swap_ranges(arrival.bytes.begin(), arrival.bytes.begin() + 6, arrival.bytes.begin() + 6);
    return arrival.bytes;
  }
};

INSTANTIATE_TEST_SUITE_P(Ways, RingPortBothWays, testing::Values(TransmitWay::send, TransmitWay::ring),
                         [](const auto& each) { return each.param == TransmitWay::send ? "Send" : "Ring"; });

TEST_P(RingPortBothWays, CarriesFramesOfEverySize) {
  RingPort port = open();
  EXPECT_EQ(port.capabilities().frame_bytes_max, 1'514U);
  for (std::size_t bytes = 60; bytes <= 1'514; ++bytes) {
    const Frame frame = ethernet_frame(header(), bytes - 14);
    ASSERT_TRUE(far_socket->send(frame));
    const std::vector<FrameArrival> arrivals = receive(port, 1);
    ASSERT_EQ(arrivals.size(), 1U) << bytes;
    ASSERT_EQ(copy(arrivals[0]), frame) << bytes;
    ASSERT_FALSE(arrivals[0].truncated);
    ASSERT_EQ(port.reply(arrivals[0], turned_round(arrivals[0])), SendOutcome::sent) << bytes;
    const std::optional<CaughtFrame> caught = far_socket->receive();
    ASSERT_TRUE(caught) << bytes;
    ASSERT_EQ(caught->bytes, outward(bytes - 14)) << bytes;
  }
  EXPECT_EQ(port.counters().receive_overruns, 0U);
  EXPECT_EQ(port.counters().truncated, 0U);
}

TEST_P(RingPortBothWays, LendsMemoryForTheLargestFrameWithATag) {
  RingPort port = open();
  EXPECT_EQ(port.acquire(1'518).size(), 1'518U);
  EXPECT_TRUE(port.acquire(1'519).empty());
  EXPECT_EQ(port.acquire(60).data(), port.acquire(1'518).data());
  ASSERT_EQ(send(port, outward(1'500, VlanTag{.id = 5, .priority = 6})), SendOutcome::sent);
  const std::optional<CaughtFrame> caught = far_socket->receive();
  ASSERT_TRUE(caught);
  EXPECT_EQ(caught->bytes, outward(1'500));
  EXPECT_EQ(caught->tag, 0xC005);
}

TEST_P(RingPortBothWays, RefusesWhatIsLongerThanTheMtu) {
  RingPort port = open();
  EXPECT_EQ(send(port, outward(1'504)), SendOutcome::failed);
  EXPECT_EQ(port.counters().send_failed, 1U);
  EXPECT_EQ(port.health(), PortHealth::open);
  EXPECT_EQ(send(port, outward(1'500)), SendOutcome::sent);
  EXPECT_EQ(far_socket->receive()->bytes.size(), 1'514U);
}

TEST_P(RingPortBothWays, SendsManyTimesAroundTheRing) {
  RingPort port = open();
  for (std::size_t i = 0; i < 100; ++i) {
    ASSERT_EQ(send(port, outward(46 + i)), SendOutcome::sent) << i;
    const std::optional<CaughtFrame> caught = far_socket->receive();
    ASSERT_TRUE(caught) << i;
    ASSERT_EQ(caught->bytes, outward(46 + i));
  }
}

TEST_P(RingPortBothWays, NeverReceivesWhatThisEndSent) {
  RingPort port = open();
  test::RawFrameSocket neighbour(near.name);
  // To the port itself: the filter would take them.
  EXPECT_EQ(send(port, ethernet_frame(header(), 46)), SendOutcome::sent);
  ASSERT_TRUE(neighbour.send(ethernet_frame(header(), 46)));
  ASSERT_TRUE(far_socket->send(ethernet_frame(header(), 100)));
  const std::vector<FrameArrival> arrivals = receive(port, 1);
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].bytes.size(), 114U);
}

TEST_P(RingPortBothWays, RepliesInPlaceWithATagInTheHeadroom) {
  FrameSelection chosen = selection();
  chosen.vlan_id = 5;
  RingPort port(PacketRing::open(near, chosen, {.frames = 16, .way = GetParam()}).value());
  ASSERT_GE(port.capabilities().headroom_bytes, vlan_tag_bytes);
  EthernetHeader tagged = header();
  tagged.tag = VlanTag{.id = 5, .priority = 3};
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(far_socket->send(ethernet_frame(tagged, 1'500)));
    const std::vector<FrameArrival> arrivals = receive(port, 1);
    ASSERT_EQ(arrivals.size(), 1U);
    EXPECT_TRUE(arrivals[0].tag_was_stripped);
    EXPECT_EQ(arrivals[0].stripped_tag, 0x6005);
    const std::span<std::byte> frame(arrivals[0].bytes.data() - vlan_tag_bytes,
                                     arrivals[0].bytes.size() + vlan_tag_bytes);
    EthernetHeader{.destination = far_mac,
                   .source = near.mac,
                   .tag = VlanTag::from_control(arrivals[0].stripped_tag),
                   .type = ether_type::echo}
        .emit(frame);
    ASSERT_EQ(port.reply(arrivals[0], frame), SendOutcome::sent);
    const std::optional<CaughtFrame> caught = far_socket->receive();
    ASSERT_TRUE(caught);
    EXPECT_EQ(caught->bytes, outward(1'500));
    EXPECT_EQ(caught->tag, 0x6005);
  }
}

// What is lent stays what it is while replies go out: a client keeps a frame that the port would not take.
TEST_P(RingPortBothWays, KeepsALentFrameWhileItReplies) {
  RingPort port = open();
  const Frame kept = outward(200);
  std::memcpy(port.acquire(kept.size()).data(), kept.data(), kept.size());
  ASSERT_TRUE(far_socket->send(ethernet_frame(header(), 46)));
  const std::vector<FrameArrival> arrivals = receive(port, 1);
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(port.reply(arrivals[0], turned_round(arrivals[0])), SendOutcome::sent);
  EXPECT_EQ(far_socket->receive()->bytes, outward(46));
  EXPECT_EQ(port.send(port.acquire(kept.size())), SendOutcome::sent);
  EXPECT_EQ(far_socket->receive()->bytes, kept);
}

class RingPortOfAPair : public test::RingTest {
 protected:
  void send_numbered(std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
      ASSERT_TRUE(far_socket->send(ethernet_frame(header(), 46 + i)));
    }
  }
  static std::size_t number_of(const FrameArrival& arrival) { return arrival.bytes.size() - 60; }
};

TEST_F(RingPortOfAPair, SaysWhatItCan) {
  const FrameCapabilities send = open_port().capabilities();
  EXPECT_EQ(send.frame_bytes_max, 1'514U);
  EXPECT_EQ(send.receive_batch_max, 256U);
  EXPECT_EQ(send.headroom_bytes, 16U);
  EXPECT_FALSE(send.reply_copies);
  EXPECT_TRUE(open_port({.way = TransmitWay::ring}).capabilities().reply_copies);
}

TEST_F(RingPortOfAPair, KeepsItsHeadroomBetweenTheKernelsHeaderAndTheFrame) {
  RingPort port = open_port({.frames = 16});
  send_numbered(0, 1);
  const std::vector<FrameArrival> arrivals = receive(port, 1);
  ASSERT_EQ(arrivals.size(), 1U);
  const std::ptrdiff_t before = arrivals[0].bytes.data() - port.ring().receive_slot(arrivals[0].slot).data();
  EXPECT_GE(before, 32 + 20 + 16);   // header, sender's address, headroom
  EXPECT_EQ((before + 14) % 16, 0);  // where an IP header is
}

TEST_F(RingPortOfAPair, ReceivesInBatchesSeveralTimesAroundTheRing) {
  RingPort port = open_port({.frames = 16});
  std::size_t next = 0;
  for (int round = 0; round < 20; ++round) {
    send_numbered(next, 7);
    const std::vector<FrameArrival> arrivals = receive(port, 7);
    ASSERT_EQ(arrivals.size(), 7U);
    for (const FrameArrival& arrival : arrivals) {
      ASSERT_EQ(number_of(arrival), next++);
      port.release(arrival);
    }
  }
  EXPECT_EQ(port.counters().receive_overruns, 0U);
}

TEST_F(RingPortOfAPair, BringsNoMoreThanThereIsRoomFor) {
  RingPort port = open_port({.frames = 16});
  send_numbered(0, 3);
  EXPECT_EQ(port.receive({}), 0U);
  EXPECT_EQ(receive(port, 2).size(), 2U);
  const std::vector<FrameArrival> third = receive(port, 1);
  ASSERT_EQ(third.size(), 1U);
  EXPECT_EQ(number_of(third[0]), 2U);
  std::array<FrameArrival, 1> none;
  EXPECT_EQ(port.receive(none), 0U);
}

TEST_F(RingPortOfAPair, CountsWhatFindsItFull) {
  RingPort port = open_port({.frames = 16});
  send_numbered(0, 20);
  std::vector<FrameArrival> arrivals = receive(port, 16);
  ASSERT_EQ(arrivals.size(), 16U);
  EXPECT_EQ(port.counters().receive_overruns, 4U);
  EXPECT_EQ(port.counters().receive_overruns, 4U);  // reading clears the kernel's number, not ours
  // Nothing is handed out twice, and what comes now is lost too.
  std::array<FrameArrival, 1> none;
  EXPECT_EQ(port.receive(none), 0U);
  send_numbered(20, 1);
  EXPECT_EQ(port.counters().receive_overruns, 5U);
  for (const FrameArrival& arrival : arrivals) {
    port.release(arrival);
  }
  send_numbered(21, 1);
  arrivals = receive(port, 1);
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(number_of(arrivals[0]), 21U);
}

TEST_F(RingPortOfAPair, TakesSlotsBackInAnyOrder) {
  RingPort port = open_port({.frames = 16});
  send_numbered(0, 16);
  const std::vector<FrameArrival> arrivals = receive(port, 16);
  ASSERT_EQ(arrivals.size(), 16U);
  for (const std::size_t i : {15U, 0U, 1U, 3U, 4U}) {
    port.release(arrivals[i]);
  }
  // The third slot is kept, so the ring goes no further than the second.
  send_numbered(16, 3);
  std::vector<FrameArrival> later = receive(port, 2);
  ASSERT_EQ(later.size(), 2U);
  EXPECT_EQ(number_of(later[0]), 16U);
  EXPECT_EQ(number_of(later[1]), 17U);
  EXPECT_EQ(port.counters().receive_overruns, 1U);
  std::array<FrameArrival, 1> none;
  EXPECT_EQ(port.receive(none), 0U);
  EXPECT_EQ(number_of(arrivals[2]), 2U);  // untouched
  port.release(arrivals[2]);
  send_numbered(19, 3);
  later = receive(port, 3);
  ASSERT_EQ(later.size(), 3U);
  EXPECT_EQ(number_of(later[2]), 21U);
}

using RingPortDeathTest = RingPortOfAPair;

TEST_F(RingPortDeathTest, IsABugToReleaseTwice) {
  RingPort port = open_port({.frames = 16});
  send_numbered(0, 1);
  const std::vector<FrameArrival> arrivals = receive(port, 1);
  ASSERT_EQ(arrivals.size(), 1U);
  port.release(arrivals[0]);
  EXPECT_DEATH(port.release(arrivals[0]), "");
}

TEST_F(RingPortOfAPair, SaysThatAFrameWasLongerThanItsSlot) {
  // The near end's MTU, and with it the slots, are smaller than what the far end sends.
  RingPort port = open_port({.frames = 16});
  ASSERT_TRUE(pair->near_ip({"link", "set", "near", "mtu", "9000"}));
  ASSERT_TRUE(pair->far_ip({"link", "set", "far", "mtu", "9000"}));
  const Frame frame = ethernet_frame(header(), 5'000);
  ASSERT_TRUE(far_socket->send(frame));
  const std::vector<FrameArrival> arrivals = receive(port, 1);
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_TRUE(arrivals[0].truncated);
  ASSERT_GE(arrivals[0].bytes.size(), 1'518U);
  EXPECT_TRUE(std::equal(arrivals[0].bytes.begin(), arrivals[0].bytes.end(), frame.begin()));
  EXPECT_EQ(port.counters().truncated, 1U);
}

TEST_F(RingPortOfAPair, CarriesJumboFrames) {
  make_pair({.mtu = 9'000});
  RingPort port = open_port();
  const Frame frame = ethernet_frame(header(), 9'000);
  ASSERT_TRUE(far_socket->send(frame));
  const std::vector<FrameArrival> arrivals = receive(port, 1);
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(copy(arrivals[0]), frame);
  EXPECT_EQ(port.reply(arrivals[0], arrivals[0].bytes), SendOutcome::sent);
  EXPECT_EQ(far_socket->receive()->bytes.size(), 9'014U);
}

TEST_F(RingPortOfAPair, KeepsSelectionsOfOneInterfaceApart) {
  FrameSelection tagged = selection();
  tagged.vlan_id = 5;
  RingPort untagged_port = open_port();
  RingPort tagged_port(PacketRing::open(near, tagged).value());
  EthernetHeader with_tag = header();
  with_tag.tag = VlanTag{.id = 5};
  for (std::size_t i = 0; i < 300; ++i) {
    ASSERT_TRUE(far_socket->send(ethernet_frame(header(), 46)));
    ASSERT_TRUE(far_socket->send(ethernet_frame(with_tag, 100)));
    const std::vector<FrameArrival> first = receive(untagged_port, 1);
    const std::vector<FrameArrival> second = receive(tagged_port, 1);
    ASSERT_EQ(first.size(), 1U);
    ASSERT_EQ(second.size(), 1U);
    EXPECT_EQ(first[0].bytes.size(), 60U);
    EXPECT_FALSE(first[0].tag_was_stripped);
    EXPECT_EQ(second[0].bytes.size(), 114U);
    EXPECT_TRUE(second[0].tag_was_stripped);
    untagged_port.release(first[0]);
    tagged_port.release(second[0]);
  }
  EXPECT_EQ(untagged_port.counters().receive_overruns + tagged_port.counters().receive_overruns, 0U);
}

TEST_F(RingPortOfAPair, TellsAnUnfinishedChecksumFromAnUnknownOne) {
  make_pair({.near = {.name = "near", .mac = "02:00:00:00:00:0a", .ipv4 = "10.9.0.1/24"},
             .far = {.name = "far", .mac = "02:00:00:00:00:0b", .ipv4 = "10.9.0.2/24"}});
  FrameSelection chosen = selection();
  chosen.udp = UdpSelection{.local = {0x0A090001, 7'007}, .peer = {0x0A090002, 40'000}};
  RingPort port(PacketRing::open(near, chosen).value());
  {
    const test::InsideNamespace inside(pair->far_namespace());
    UdpEndpoint sender = UdpEndpoint::bind(Address::parse("10.9.0.2:40000").value()).value();
    ASSERT_TRUE(sender.connect(Address::parse("10.9.0.1:7007").value()));
    ASSERT_TRUE(sender.send(std::array{std::byte{1}}));
  }
  test::Ipv4Frame raw{.from = 0x0A090002, .to = 0x0A090001, .payload = test::udp_payload(40'000, 7'007, 64)};
  raw.ethernet = header();
  raw.ethernet.type = ether_type::ipv4;
  const std::vector<FrameArrival> arrivals = receive(port, 1);
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].checksum, ChecksumState::partial);
  ASSERT_TRUE(far_socket->send(raw.bytes()));
  const std::vector<FrameArrival> later = receive(port, 1);
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later[0].checksum, ChecksumState::unknown);
}

TEST_F(RingPortOfAPair, WaitsUntilAFrameComesAndNoLongerThanItsBound) {
  RingPort port = open_port();
  const Instant before = port.now();
  port.wait(before + Duration::from_s(60));
  EXPECT_GE(port.now() - before, Duration::from_ms(10));
  EXPECT_LT(port.now() - before, Duration::from_s(30));
  send_numbered(0, 1);
  ASSERT_EQ(receive(port, 1).size(), 1U);
}

}  // namespace
}  // namespace rtecho::drivers

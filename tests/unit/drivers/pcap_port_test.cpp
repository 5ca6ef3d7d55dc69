#include "drivers/pcap_port.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "capture_veth.hpp"
#include "platform/allocation_guard.hpp"
#include "platform/memory.hpp"
#include "rt_core/bytes.hpp"

namespace rtecho::drivers {
namespace {

using Frame = std::vector<std::byte>;

constexpr std::uint32_t snap_bytes = 1'518;
constexpr MacAddress other_mac{{std::byte{2}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0xC}}};

FrameSelection echo_selection(std::optional<std::uint16_t> vlan_id = {}) {
  return {.local = CaptureVeth::near_mac, .vlan_id = vlan_id, .udp = {}};
}

FrameSelection udp_selection(std::optional<std::uint16_t> vlan_id, bool own_address) {
  FrameSelection selection = echo_selection(vlan_id);
  selection.udp = UdpSelection{{0x0A00'0001, 7'001}, {0x0A00'0002, 7'002}, own_address};
  return selection;
}

EthernetHeader header_to(const MacAddress& destination, std::optional<VlanTag> tag = {},
                         std::uint16_t type = ether_type::echo) {
  return {.destination = destination, .source = CaptureVeth::far_mac, .tag = tag, .type = type};
}
EthernetHeader header_of(std::optional<VlanTag> tag, std::uint16_t type = ether_type::echo) {
  return header_to(CaptureVeth::near_mac, tag, type);
}

Frame echo_frame(std::size_t bytes, std::uint8_t mark = 1, const EthernetHeader& header = header_of({})) {
  Frame frame(bytes, std::byte{mark});
  header.emit(frame);
  return frame;
}

// The fields of an IPv4 datagram that a filter looks at.
struct Datagram {
  std::uint32_t source = 0x0A00'0002;
  std::uint32_t destination = 0x0A00'0001;
  std::uint16_t source_port = 7'002;
  std::uint16_t destination_port = 7'001;
  std::uint8_t protocol = 17;
  std::uint16_t fragment = 0;
  std::uint8_t icmp_type = 0;  // in the place of the source port
};

Frame ipv4_frame(const Datagram& datagram, std::optional<VlanTag> tag) {
  const EthernetHeader header = header_of(tag, ether_type::ipv4);
  Frame frame = echo_frame(100, 0, header);
  const auto ip = std::span(frame).subspan(header.bytes());
  ip[0] = std::byte{0x45};
  store_big_endian<std::uint16_t>(ip, 2, static_cast<std::uint16_t>(ip.size()));
  store_big_endian(ip, 6, datagram.fragment);
  ip[9] = std::byte{datagram.protocol};
  store_big_endian(ip, 12, datagram.source);
  store_big_endian(ip, 16, datagram.destination);
  store_big_endian(ip, 20, datagram.source_port);
  store_big_endian(ip, 22, datagram.destination_port);
  if (datagram.protocol == 1) {
    ip[20] = std::byte{datagram.icmp_type};
  }
  return frame;
}

Frame arp_frame(std::uint32_t target, const MacAddress& destination, std::optional<VlanTag> tag) {
  const EthernetHeader header = header_to(destination, tag, ether_type::arp);
  Frame frame = echo_frame(64, 0, header);
  const auto arp = std::span(frame).subspan(header.bytes());
  store_big_endian<std::uint64_t>(arp, 0, 0x0001'0800'0604'0001);
  store_big_endian(arp, 24, target);
  return frame;
}

class PcapPortTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!veth_.is_made()) {
      GTEST_SKIP() << "cannot make a veth pair here (needs root and iproute2)";
    }
  }

  static PcapHandle open_handle(const FrameSelection& selection, std::uint32_t buffer_bytes = PcapPlan{}.buffer_bytes) {
    std::string wording;
    Result<PcapHandle> handle = PcapHandle::open({.interface = CaptureVeth::near_name,
                                                  .selection = selection,
                                                  .snap_bytes = snap_bytes,
                                                  .buffer_bytes = buffer_bytes},
                                                 wording);
    EXPECT_TRUE(handle) << wording;
    return std::move(handle).value();
  }
  PcapPort open(const FrameSelection& selection = echo_selection()) {
    return PcapPort(open_handle(selection), memory_.bytes());
  }

  // Bounded looks: what a veth pair carries is there as soon as it was sent.
  static std::size_t receive(PcapPort& port, std::span<FrameArrival> arrivals) {
    port.wait(port.now() + Duration::from_ms(10));
    return port.receive(arrivals);
  }
  // Whether this frame comes through; a good one behind it says that it had its chance.
  bool comes_through(PcapPort& port, const Frame& frame, const Frame& good) {
    EXPECT_TRUE(veth_.send(frame));
    EXPECT_TRUE(veth_.send(good));
    std::array<FrameArrival, 4> arrivals;
    const std::size_t count = receive(port, arrivals);
    EXPECT_GE(count, 1U);
    return count > 1;
  }

  CaptureVeth veth_;
  platform::MappedMemory memory_ = platform::MappedMemory::map(PcapPort::memory_bytes(snap_bytes)).value();
  std::array<FrameArrival, 4> arrivals_;
};

TEST_F(PcapPortTest, SaysWhatItCanDo) {
  PcapPort port = open();
  EXPECT_EQ(port.capabilities().frame_bytes_max, 1'514U);
  EXPECT_EQ(port.capabilities().receive_batch_max, 16U);
  EXPECT_GE(port.capabilities().headroom_bytes, 4U);
  EXPECT_TRUE(port.capabilities().reply_copies);
  EXPECT_EQ(port.acquire(1'518).size(), 1'518U);  // a VLAN tag comes on top
  EXPECT_TRUE(port.acquire(1'519).empty());
  EXPECT_EQ(port.health(), PortHealth::open);
}

TEST_F(PcapPortTest, CarriesEverySizeBothWays) {
  PcapPort port = open();
  for (std::size_t bytes = 14; bytes <= 1'514; ++bytes) {
    const Frame sent = echo_frame(bytes, static_cast<std::uint8_t>(bytes));
    ASSERT_TRUE(veth_.send(sent));
    ASSERT_EQ(receive(port, arrivals_), 1U) << bytes;
    EXPECT_FALSE(arrivals_[0].truncated || arrivals_[0].tag_was_stripped);
    EXPECT_EQ(arrivals_[0].checksum, ChecksumState::unknown);
    ASSERT_EQ(Frame(arrivals_[0].bytes.begin(), arrivals_[0].bytes.end()), sent);
    ASSERT_EQ(port.reply(arrivals_[0], arrivals_[0].bytes), SendOutcome::sent);
    ASSERT_EQ(veth_.receive(ether_type::echo), sent);
  }
  EXPECT_EQ(port.counters().receive_overruns, 0U);
  EXPECT_EQ(port.counters().truncated, 0U);
}

TEST_F(PcapPortTest, SendsFromTheMemoryItLends) {
  PcapPort port = open();
  const Frame frame = echo_frame(60);
  std::memcpy(port.acquire(60).data(), frame.data(), 60);
  ASSERT_EQ(port.send(port.acquire(60)), SendOutcome::sent);
  EXPECT_EQ(veth_.receive(ether_type::echo), frame);
}

// The system hands a socket nothing that it sent itself, but all that the interface's other users sent.
TEST_F(PcapPortTest, NeverBringsWhatThisEndSent) {
  const FrameSelection selection{.local = CaptureVeth::far_mac, .vlan_id = {}, .udp = {}};
  PcapPort port = open(selection);
  const platform::MappedMemory other_memory = platform::MappedMemory::map(PcapPort::memory_bytes(snap_bytes)).value();
  PcapPort other(open_handle(selection), other_memory.bytes());
  const Frame frame = echo_frame(60, 1, header_to(CaptureVeth::far_mac));
  std::memcpy(other.acquire(60).data(), frame.data(), 60);
  ASSERT_EQ(other.send(other.acquire(60)), SendOutcome::sent);
  EXPECT_EQ(receive(other, arrivals_), 0U);
  EXPECT_EQ(receive(port, arrivals_), 0U);
}

TEST_F(PcapPortTest, BringsNoFrameOfAnybodyElse) {
  PcapPort port = open();
  const Frame good = echo_frame(60);
  EXPECT_TRUE(comes_through(port, good, good));
  EXPECT_FALSE(comes_through(port, echo_frame(60, 1, header_to(other_mac)), good));
  EXPECT_FALSE(comes_through(port, echo_frame(60, 1, header_to(MacAddress::broadcast())), good));
  EXPECT_FALSE(comes_through(port, echo_frame(60, 1, header_of({}, 0x88B6)), good));
  EXPECT_FALSE(comes_through(port, echo_frame(60, 1, header_of(VlanTag{5})), good));
  EXPECT_FALSE(comes_through(port, echo_frame(60, 1, header_of(VlanTag{0, 7})), good)) << "priority only is a tag too";
}

TEST_F(PcapPortTest, BringsTheFramesOfItsVlanWithTheTagInThem) {
  PcapPort port = open(echo_selection(5));
  const Frame good = echo_frame(1'518, 1, header_of(VlanTag{5, 3}));
  ASSERT_TRUE(veth_.send(good));
  ASSERT_EQ(receive(port, arrivals_), 1U);
  EXPECT_FALSE(arrivals_[0].tag_was_stripped || arrivals_[0].truncated);
  EXPECT_EQ(Frame(arrivals_[0].bytes.begin(), arrivals_[0].bytes.end()), good);
  EXPECT_EQ(port.reply(arrivals_[0], arrivals_[0].bytes), SendOutcome::sent);
  EXPECT_EQ(veth_.receive(ether_type::echo).size(), 1'514U);  // the tag was taken out

  EXPECT_FALSE(comes_through(port, echo_frame(60), good));
  EXPECT_FALSE(comes_through(port, echo_frame(60, 1, header_of(VlanTag{6, 3})), good));
  EXPECT_FALSE(comes_through(port, echo_frame(60, 1, header_to(other_mac, VlanTag{5})), good));
  EXPECT_FALSE(comes_through(port, echo_frame(60, 1, header_of(VlanTag{5}, 0x88B6)), good));
}

TEST_F(PcapPortTest, BringsTheDatagramsOfOneSession) {
  for (const bool is_tagged : {false, true}) {
    const std::optional<VlanTag> tag = is_tagged ? std::optional(VlanTag{9}) : std::nullopt;
    PcapPort port = open(udp_selection(is_tagged ? std::optional<std::uint16_t>(9) : std::nullopt, false));
    const Frame good = ipv4_frame({}, tag);
    EXPECT_TRUE(comes_through(port, good, good));
    EXPECT_FALSE(comes_through(port, ipv4_frame({.source = 0x0A00'0003}, tag), good));
    EXPECT_FALSE(comes_through(port, ipv4_frame({.destination = 0x0A00'0003}, tag), good));
    EXPECT_FALSE(comes_through(port, ipv4_frame({.source_port = 7'003}, tag), good));
    EXPECT_FALSE(comes_through(port, ipv4_frame({.destination_port = 7'003}, tag), good));
    EXPECT_FALSE(comes_through(port, ipv4_frame({.protocol = 6}, tag), good));
    EXPECT_FALSE(comes_through(port, ipv4_frame({.fragment = 0x2000}, tag), good)) << "more of them follow";
    EXPECT_FALSE(comes_through(port, ipv4_frame({.fragment = 0x0001}, tag), good));
    EXPECT_TRUE(comes_through(port, ipv4_frame({.fragment = 0x4000}, tag), good)) << "must not become one";
    EXPECT_FALSE(comes_through(port, ipv4_frame({.protocol = 1, .icmp_type = 8}, tag), good));
    EXPECT_FALSE(comes_through(port, arp_frame(0x0A00'0001, MacAddress::broadcast(), tag), good));
    EXPECT_FALSE(comes_through(port, ipv4_frame({}, VlanTag{8}), good));
  }
}

TEST_F(PcapPortTest, BringsWhatIsAskedOfAnAddressOfItsOwn) {
  for (const bool is_tagged : {false, true}) {
    const std::optional<VlanTag> tag = is_tagged ? std::optional(VlanTag{9}) : std::nullopt;
    PcapPort port = open(udp_selection(is_tagged ? std::optional<std::uint16_t>(9) : std::nullopt, true));
    const Frame good = ipv4_frame({}, tag);
    EXPECT_TRUE(comes_through(port, good, good));
    EXPECT_TRUE(comes_through(port, arp_frame(0x0A00'0001, MacAddress::broadcast(), tag), good));
    EXPECT_TRUE(comes_through(port, arp_frame(0x0A00'0001, CaptureVeth::near_mac, tag), good));
    EXPECT_TRUE(comes_through(port, ipv4_frame({.protocol = 1, .icmp_type = 8}, tag), good));
    EXPECT_FALSE(comes_through(port, arp_frame(0x0A00'0003, MacAddress::broadcast(), tag), good));
    Frame claim = arp_frame(0, MacAddress::broadcast(), tag);
    const std::size_t sender_at = (tag ? 18U : 14U) + 14U;
    store_big_endian(std::span(claim), sender_at, std::uint32_t{0x0A00'0001});
    EXPECT_TRUE(comes_through(port, claim, good)) << "somebody says that our address is his";
    EXPECT_FALSE(comes_through(port, arp_frame(0x0A00'0001, other_mac, tag), good));
    EXPECT_FALSE(comes_through(port, ipv4_frame({.protocol = 1, .icmp_type = 0}, tag), good));
    EXPECT_FALSE(comes_through(port, ipv4_frame({.source_port = 7'003}, tag), good));
  }
}

TEST_F(PcapPortTest, BringsSeveralFramesOfOneLookInOrder) {
  PcapPort port = open();
  for (std::uint8_t mark = 1; mark <= 20; ++mark) {
    ASSERT_TRUE(veth_.send(echo_frame(60, mark)));
  }
  std::array<FrameArrival, 64> arrivals;
  ASSERT_EQ(receive(port, arrivals), 16U);
  for (std::uint8_t i = 0; i < 16; ++i) {
    EXPECT_EQ(arrivals[i].bytes[59], std::byte(i + 1));
  }
  EXPECT_EQ(port.receive({}), 0U);
  ASSERT_EQ(port.receive(arrivals_), 4U);
  EXPECT_EQ(arrivals_[0].bytes[59], std::byte{17});
  EXPECT_EQ(port.receive(arrivals_), 0U);
}

TEST_F(PcapPortTest, LetsAReplyBeginInTheHeadroom) {
  PcapPort port = open();
  ASSERT_TRUE(veth_.send(echo_frame(60, 1)));
  ASSERT_TRUE(veth_.send(echo_frame(60, 2)));
  ASSERT_EQ(receive(port, arrivals_), 2U);
  const std::size_t headroom = port.capabilities().headroom_bytes;
  const std::span<std::byte> frame(arrivals_[1].bytes.data() - headroom, headroom + 60);
  std::memset(frame.data(), 3, headroom);
  header_to(CaptureVeth::far_mac).emit(frame);
  EXPECT_EQ(arrivals_[0].bytes[59], std::byte{1}) << "the neighbour is none of it";
  ASSERT_EQ(port.reply(arrivals_[1], frame), SendOutcome::sent);
  EXPECT_EQ(veth_.receive(ether_type::echo), Frame(frame.begin(), frame.end()));
}

TEST_F(PcapPortTest, MarksAndCountsAFrameThatIsTooLong) {
  ASSERT_TRUE(CaptureVeth::run("ip link set rtecho_a mtu 3000 && ip link set rtecho_b mtu 3000"));
  PcapPort port = open();
  ASSERT_TRUE(veth_.send(echo_frame(1'518)));
  ASSERT_TRUE(veth_.send(echo_frame(1'519)));
  ASSERT_EQ(receive(port, arrivals_), 2U);
  EXPECT_FALSE(arrivals_[0].truncated);
  EXPECT_TRUE(arrivals_[1].truncated);
  EXPECT_EQ(arrivals_[1].bytes.size(), 1'518U);
  EXPECT_EQ(port.counters().truncated, 1U);
}

TEST_F(PcapPortTest, CountsAFrameThatTheInterfaceDoesNotTake) {
  ASSERT_TRUE(CaptureVeth::run("ip link set rtecho_a mtu 1000"));
  PcapPort port = open();
  EXPECT_EQ(port.send(port.acquire(1'015)), SendOutcome::failed);
  EXPECT_EQ(port.counters().send_failed, 1U);
  EXPECT_EQ(port.health(), PortHealth::open);
}

TEST_F(PcapPortTest, CountsWhatWasLostWhileNobodyLooked) {
  PcapPort port(open_handle(echo_selection(), 128 * 1'024), memory_.bytes());
  constexpr std::uint64_t sent = 2'000;
  for (std::uint64_t i = 0; i < sent; ++i) {
    ASSERT_TRUE(veth_.send(echo_frame(1'000)));
  }
  std::uint64_t received = 0;
  for (std::size_t count = receive(port, arrivals_); count > 0; count = port.receive(arrivals_)) {
    received += count;
  }
  EXPECT_LT(received, sent);
  EXPECT_EQ(port.counters().receive_overruns, sent - received);
  EXPECT_EQ(port.counters().receive_overruns, sent - received) << "asking again takes nothing away";
}

TEST_F(PcapPortTest, SurvivesALinkThatGoesDown) {
  PcapPort port = open();
  const Frame frame = echo_frame(60);
  ASSERT_TRUE(CaptureVeth::run("ip link set rtecho_a down"));
  EXPECT_EQ(receive(port, arrivals_), 0U);
  EXPECT_EQ(port.receive(arrivals_), 0U);
  EXPECT_EQ(port.send(port.acquire(60)), SendOutcome::would_block);
  EXPECT_EQ(port.counters().link_down, 1U);
  EXPECT_EQ(port.health(), PortHealth::open);
  ASSERT_TRUE(CaptureVeth::run("ip link set rtecho_a up"));
  EXPECT_EQ(receive(port, arrivals_), 0U);
  ASSERT_TRUE(veth_.send(frame));
  ASSERT_EQ(receive(port, arrivals_), 1U);
  EXPECT_EQ(port.reply(arrivals_[0], arrivals_[0].bytes), SendOutcome::sent);
  EXPECT_EQ(port.health(), PortHealth::open);
  EXPECT_EQ(port.counters().receive_failed, 0U);
}

TEST_F(PcapPortTest, NoticesThatItsInterfaceIsGone) {
  PcapPort port = open();
  ASSERT_TRUE(CaptureVeth::run("ip link delete rtecho_a"));
  for (int looks = 0; looks < 10 && port.health() == PortHealth::open; ++looks) {
    EXPECT_EQ(receive(port, arrivals_), 0U);
  }
  EXPECT_EQ(port.health(), PortHealth::peer_closed);
  EXPECT_EQ(port.handle().wording(), "The interface disappeared");
  EXPECT_EQ(port.receive(arrivals_), 0U);
  EXPECT_EQ(port.counters().receive_failed, 0U);
}

TEST_F(PcapPortTest, NoticesInASendThatItsInterfaceIsGone) {
  PcapPort port = open();
  ASSERT_TRUE(CaptureVeth::run("ip link delete rtecho_a"));
  EXPECT_EQ(port.send(port.acquire(60)), SendOutcome::failed);
  EXPECT_EQ(port.send(port.acquire(60)), SendOutcome::failed);
  EXPECT_EQ(port.health(), PortHealth::peer_closed);
}

TEST_F(PcapPortTest, WaitsNoLongerThanTheLoopMayBeAway) {
  PcapPort port = open();
  const Instant begin = port.now();
  port.wait(begin + Duration::from_s(60));
  EXPECT_LT(port.now() - begin, Duration::from_s(10));
  EXPECT_GE(port.now() - begin, Duration::from_ms(20));
  const Instant past = port.now();
  port.wait(past - Duration::from_s(1));
  EXPECT_EQ(port.receive(arrivals_), 0U);
}

// In the build whose guard aborts this test would end the program. That libpcap takes no memory either on these ways is
// not in its contract: this is where a version that does would show.
TEST_F(PcapPortTest, TakesNoMemoryFromTheHeapNorDoesLibpcap) {
  if (!platform::allocation_guard::available()) {
    GTEST_SKIP() << "heap calls are not wrapped under the sanitizers";
  }
  PcapPort port = open(echo_selection(5));
  const Frame frame = echo_frame(1'000, 1, header_of(VlanTag{5}));
  const std::uint64_t before = platform::allocation_guard::count();
  std::uint64_t received = 0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(veth_.send(frame));
    platform::allocation_guard::arm();
    port.wait(port.now() + Duration::from_ms(1));
    received += port.receive(arrivals_);
    port.reply(arrivals_[0], arrivals_[0].bytes);
    port.send(port.acquire(60));
    received += port.receive(arrivals_);
    platform::allocation_guard::disarm();
  }
  ASSERT_TRUE(CaptureVeth::run("ip link set rtecho_a down"));
  platform::allocation_guard::arm();
  port.send(port.acquire(60));
  received += port.receive(arrivals_);
  const PortCounters counters = port.counters();
  platform::allocation_guard::disarm();
  ASSERT_TRUE(CaptureVeth::run("ip link delete rtecho_a"));
  EXPECT_TRUE(port.spares_looks());
  platform::allocation_guard::arm();
  // Most looks are spared; one of so many is not, nor one after a wait.
  for (std::uint32_t i = 0; i < 2 * PcapGlance::looks_per_real_one; ++i) {
    received += port.receive(arrivals_);
  }
  platform::allocation_guard::disarm();
  EXPECT_EQ(platform::allocation_guard::count() - before, 0U);
  EXPECT_EQ(received, 100U);
  EXPECT_EQ(counters.link_down, 1U);
  EXPECT_EQ(port.health(), PortHealth::peer_closed);
}

}  // namespace
}  // namespace rtecho::drivers

// The kernel's filter, asked by what comes out of a ring.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ring_rig.hpp"

namespace rtecho::drivers {
namespace {

using test::ArpFrame;
using test::ethernet_frame;
using test::Frame;
using test::Ipv4Frame;
using test::udp_payload;

constexpr Ipv4Endpoint local{.address = 0x0A090001, .port = 7'007};
constexpr Ipv4Endpoint peer{.address = 0x0A090002, .port = 40'000};
constexpr std::uint32_t other_address = 0x0A090003;
constexpr MacAddress other_mac(MacAddress::Bytes{std::byte{2}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0},
                                                 std::byte{0x0C}});
constexpr MacAddress multicast_mac(MacAddress::Bytes{std::byte{1}, std::byte{0}, std::byte{0x5E}, std::byte{0},
                                                     std::byte{0}, std::byte{1}});

class FrameFilter : public test::RingTest {
 protected:
  void open(const FrameSelection& chosen) { port.emplace(PacketRing::open(near, chosen).value()); }

  // Sends the frame and, behind it, one that is certainly taken. What the first one left at the near end.
  bool takes(const Frame& frame, const Frame& certain) {
    EXPECT_TRUE(far_socket->send(frame));
    EXPECT_TRUE(far_socket->send(certain));
    bool is_taken = false;
    for (int i = 0; i < 2; ++i) {
      const std::vector<FrameArrival> arrivals = receive(*port, 1);
      if (arrivals.empty()) {
        ADD_FAILURE() << "not even the right frame came";
        return false;
      }
      const std::size_t bytes = arrivals[0].bytes.size();
      port->release(arrivals[0]);
      if (bytes == certain.size() - (certain_is_tagged ? vlan_tag_bytes : 0)) {
        return is_taken;
      }
      is_taken = true;
    }
    ADD_FAILURE() << "a frame came twice";
    return is_taken;
  }

  [[nodiscard]] EthernetHeader to(const MacAddress& mac) const {
    EthernetHeader result = header();
    result.destination = mac;
    return result;
  }
  [[nodiscard]] EthernetHeader of_type(std::uint16_t type) const {
    EthernetHeader result = header();
    result.type = type;
    return result;
  }
  [[nodiscard]] EthernetHeader tagged(std::uint16_t id, std::uint8_t priority = 0) const {
    EthernetHeader result = header();
    result.tag = VlanTag{.id = id, .priority = priority};
    return result;
  }
  // The first two bytes behind the addresses replaced, so that the tag is of another kind.
  [[nodiscard]] Frame service_tagged(std::uint16_t id) const {
    Frame frame = ethernet_frame(tagged(id), 50);
    store_big_endian(frame, ethernet_offset::type, ether_type::service_vlan);
    return frame;
  }
  [[nodiscard]] Frame twice_tagged(std::uint16_t id) const {
    Frame frame = ethernet_frame(tagged(id), 50);
    const Frame outer(frame.begin() + 12, frame.begin() + 16);
    frame.insert(frame.begin() + 12, outer.begin(), outer.end());
    return frame;
  }

  [[nodiscard]] Ipv4Frame datagram() const {
    Ipv4Frame frame{.from = peer.address, .to = local.address, .payload = udp_payload(peer.port, local.port, 60)};
    frame.ethernet = of_type(ether_type::ipv4);
    return frame;
  }
  [[nodiscard]] Ipv4Frame ping() const {
    Ipv4Frame frame{.from = other_address, .to = local.address, .protocol = 1, .payload = Frame(40)};
    frame.payload[0] = std::byte{8};
    frame.ethernet = of_type(ether_type::ipv4);
    return frame;
  }
  [[nodiscard]] ArpFrame arp() const {
    ArpFrame frame{.target = local.address, .sender = other_address};
    frame.ethernet.source = far_mac;
    return frame;
  }

  // What differs from a frame that is right, and in one thing only.
  void expect_refused_datagrams(const Frame& certain) {
    auto refuse = [&](const char* what, auto change) {
      Ipv4Frame frame = datagram();
      change(frame);
      EXPECT_FALSE(takes(frame.bytes(), certain)) << what;
    };
    refuse("another station's", [](Ipv4Frame& f) { f.ethernet.destination = other_mac; });
    refuse("broadcast", [](Ipv4Frame& f) { f.ethernet.destination = MacAddress::broadcast(); });
    refuse("tagged", [](Ipv4Frame& f) { f.ethernet.tag = VlanTag{.id = 5}; });
    refuse("IPv6's EtherType", [](Ipv4Frame& f) { f.ethernet.type = 0x86DD; });
    refuse("version 6", [](Ipv4Frame& f) { f.version = 6; });
    refuse("a header that is too short", [](Ipv4Frame& f) { f.header_words = 4; });
    refuse("TCP", [](Ipv4Frame& f) { f.protocol = 6; });
    refuse("the first fragment", [](Ipv4Frame& f) { f.fragment = 0x2000; });
    refuse("a middle fragment", [](Ipv4Frame& f) { f.fragment = 0x2001; });
    refuse("the last fragment", [](Ipv4Frame& f) { f.fragment = 0x0001; });
    refuse("another receiver's address", [](Ipv4Frame& f) { f.to = other_address; });
    refuse("another sender's address", [](Ipv4Frame& f) { f.from = other_address; });
    refuse("another receiver's port", [](Ipv4Frame& f) { f.payload = udp_payload(peer.port, 7'008, 60); });
    refuse("another sender's port", [](Ipv4Frame& f) { f.payload = udp_payload(40'001, local.port, 60); });
  }

  std::optional<RingPort> port;
  bool certain_is_tagged = false;
};

TEST_F(FrameFilter, TakesRawFramesToThisStationOnly) {
  open(selection());
  const Frame certain = ethernet_frame(header(), 100);
  EXPECT_TRUE(takes(ethernet_frame(header(), 46), certain));
  EXPECT_TRUE(takes(ethernet_frame(header(), 1'500), certain));
  EXPECT_FALSE(takes(ethernet_frame(to(other_mac), 46), certain));
  EXPECT_FALSE(takes(ethernet_frame(to(multicast_mac), 46), certain));
  EXPECT_FALSE(takes(ethernet_frame(to(MacAddress::broadcast()), 46), certain));
  MacAddress::Bytes nearly = near.mac.bytes();
  nearly[0] ^= std::byte{4};
  EXPECT_FALSE(takes(ethernet_frame(to(MacAddress(nearly)), 46), certain));
  EXPECT_FALSE(takes(ethernet_frame(of_type(0x88B6), 46), certain));
  EXPECT_FALSE(takes(ethernet_frame(of_type(ether_type::ipv4), 46), certain));
  EXPECT_FALSE(takes(datagram().bytes(), certain));
  EXPECT_FALSE(takes(arp().bytes(), certain));
}

TEST_F(FrameFilter, TakesNoTagWhereNoneIsWanted) {
  open(selection());
  const Frame certain = ethernet_frame(header(), 100);
  EXPECT_FALSE(takes(ethernet_frame(tagged(5), 46), certain));
  EXPECT_FALSE(takes(ethernet_frame(tagged(0, 3), 46), certain));  // priority only
  EXPECT_FALSE(takes(service_tagged(5), certain));
  EXPECT_FALSE(takes(twice_tagged(5), certain));
}

TEST_F(FrameFilter, TakesItsOwnVlanOnly) {
  FrameSelection chosen = selection();
  chosen.vlan_id = 0x123;
  open(chosen);
  certain_is_tagged = true;
  const Frame certain = ethernet_frame(tagged(0x123), 100);
  EXPECT_TRUE(takes(ethernet_frame(tagged(0x123, 7), 46), certain));
  EXPECT_FALSE(takes(ethernet_frame(tagged(0x124), 46), certain));
  EXPECT_FALSE(takes(ethernet_frame(tagged(0x023), 46), certain));
  EXPECT_FALSE(takes(ethernet_frame(tagged(0), 46), certain));
  EXPECT_FALSE(takes(ethernet_frame(header(), 46), certain));
  EXPECT_FALSE(takes(service_tagged(0x123), certain));
  EXPECT_FALSE(takes(twice_tagged(0x123), certain));
}

TEST_F(FrameFilter, TakesTheDatagramsOfOneSessionOnly) {
  FrameSelection chosen = selection();
  chosen.udp = UdpSelection{.local = local, .peer = peer};
  open(chosen);
  Ipv4Frame longer = datagram();
  longer.payload = udp_payload(peer.port, local.port, 200);
  const Frame certain = longer.bytes();
  EXPECT_TRUE(takes(datagram().bytes(), certain));
  expect_refused_datagrams(certain);
  EXPECT_FALSE(takes(ping().bytes(), certain));
  EXPECT_FALSE(takes(arp().bytes(), certain));
  EXPECT_FALSE(takes(ethernet_frame(header(), 46), certain));
}

TEST_F(FrameFilter, FindsThePortsBehindIpOptions) {
  FrameSelection chosen = selection();
  chosen.udp = UdpSelection{.local = local, .peer = peer};
  open(chosen);
  Ipv4Frame longer = datagram();
  longer.payload = udp_payload(peer.port, local.port, 200);
  Ipv4Frame with_options = datagram();
  for (const std::uint8_t words : {std::uint8_t{6}, std::uint8_t{15}}) {
    with_options.header_words = words;
    with_options.payload = udp_payload(peer.port, local.port, 60);
    EXPECT_TRUE(takes(with_options.bytes(), longer.bytes()));
    with_options.payload = udp_payload(peer.port, local.port + 1, 60);
    EXPECT_FALSE(takes(with_options.bytes(), longer.bytes()));
  }
}

// A header of 16 bytes would have the ports where the receiver's address is: here the address reads like the ports.
TEST_F(FrameFilter, RefusesAHeaderThatIsTooShortAlsoWhereItsPortsWouldFit) {
  constexpr Ipv4Endpoint like_ports{.address = 0x9C40'1B5F, .port = 7'007};  // 40000, 7007
  FrameSelection chosen = selection();
  chosen.udp = UdpSelection{.local = like_ports, .peer = peer};
  open(chosen);
  Ipv4Frame right = datagram();
  right.to = like_ports.address;
  right.payload = udp_payload(peer.port, local.port, 200);
  Ipv4Frame wrong = right;
  wrong.payload = udp_payload(1, 2, 60);
  wrong.header_words = 4;
  EXPECT_FALSE(takes(wrong.bytes(), right.bytes()));
}

TEST_F(FrameFilter, RefusesWhatEndsBeforeItsPorts) {
  FrameSelection chosen = selection();
  chosen.udp = UdpSelection{.local = local, .peer = peer, .own_address = true};
  open(chosen);
  Ipv4Frame longer = datagram();
  longer.payload = udp_payload(peer.port, local.port, 200);
  const Frame whole = datagram().bytes();
  for (std::size_t bytes = 15; bytes < 38; ++bytes) {  // the kernel does not send a bare header
    EXPECT_FALSE(takes(Frame(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes)), longer.bytes()))
        << bytes;
  }
}

TEST_F(FrameFilter, AlsoTakesArpAndPingForAnAddressOfOurOwn) {
  FrameSelection chosen = selection();
  chosen.udp = UdpSelection{.local = local, .peer = peer, .own_address = true};
  open(chosen);
  Ipv4Frame longer = datagram();
  longer.payload = udp_payload(peer.port, local.port, 200);
  const Frame certain = longer.bytes();
  EXPECT_TRUE(takes(datagram().bytes(), certain));
  expect_refused_datagrams(certain);
  EXPECT_TRUE(takes(ping().bytes(), certain));
  EXPECT_TRUE(takes(arp().bytes(), certain));
  ArpFrame to_us = arp();
  to_us.ethernet.destination = near.mac;
  EXPECT_TRUE(takes(to_us.bytes(), certain));
  to_us.operation = 2;
  EXPECT_TRUE(takes(to_us.bytes(), certain));
  // Somebody else says that the address is his.
  ArpFrame claim = arp();
  claim.operation = 2;
  claim.sender = local.address;
  claim.target = other_address;
  EXPECT_TRUE(takes(claim.bytes(), certain));
}

TEST_F(FrameFilter, TakesNoOtherArpOrIcmp) {
  FrameSelection chosen = selection();
  chosen.udp = UdpSelection{.local = local, .peer = peer, .own_address = true};
  open(chosen);
  Ipv4Frame longer = datagram();
  longer.payload = udp_payload(peer.port, local.port, 200);
  const Frame certain = longer.bytes();
  auto refuse_arp = [&](const char* what, auto change) {
    ArpFrame frame = arp();
    change(frame);
    EXPECT_FALSE(takes(frame.bytes(), certain)) << what;
  };
  refuse_arp("for another address", [](ArpFrame& f) { f.target = other_address; });
  refuse_arp("to another station", [](ArpFrame& f) { f.ethernet.destination = other_mac; });
  refuse_arp("nearly broadcast", [](ArpFrame& f) {
    MacAddress::Bytes bytes = MacAddress::broadcast().bytes();
    bytes[5] = std::byte{0xFE};
    f.ethernet.destination = MacAddress(bytes);
  });
  refuse_arp("operation 0", [](ArpFrame& f) { f.operation = 0; });
  refuse_arp("reverse ARP", [](ArpFrame& f) { f.operation = 3; });
  refuse_arp("addresses of other sizes", [](ArpFrame& f) { f.sizes = 0x0804; });
  refuse_arp("tagged", [](ArpFrame& f) { f.ethernet.tag = VlanTag{.id = 5}; });
  auto refuse_ping = [&](const char* what, auto change) {
    Ipv4Frame frame = ping();
    change(frame);
    EXPECT_FALSE(takes(frame.bytes(), certain)) << what;
  };
  refuse_ping("a reply", [](Ipv4Frame& f) { f.payload[0] = std::byte{0}; });
  refuse_ping("unreachable", [](Ipv4Frame& f) { f.payload[0] = std::byte{3}; });
  refuse_ping("a code that is none", [](Ipv4Frame& f) { f.payload[1] = std::byte{1}; });
  refuse_ping("to another address", [](Ipv4Frame& f) { f.to = other_address; });
  refuse_ping("to everybody", [](Ipv4Frame& f) { f.ethernet.destination = MacAddress::broadcast(); });
  refuse_ping("a fragment", [](Ipv4Frame& f) { f.fragment = 0x2000; });
}

}  // namespace
}  // namespace rtecho::drivers

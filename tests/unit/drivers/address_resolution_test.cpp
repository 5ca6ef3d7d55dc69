#include "drivers/address_resolution.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <vector>

#include "drivers/fake_clock.hpp"
#include "drivers/frames_over.hpp"
#include "drivers/loopback_port.hpp"
#include "platform/memory.hpp"

namespace rtecho::drivers {
namespace {

constexpr std::uint32_t wanted = 0x0A4D'0002;
constexpr std::uint32_t ours = 0x0A4D'0065;

MacAddress station(unsigned last) {
  return MacAddress(MacAddress::Bytes{std::byte{2}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0},
                                      static_cast<std::byte>(last)});
}

// One end asks, the test is the other end.
class AddressResolution : public testing::Test {
 protected:
  using Link = LoopbackLink<FakeClock, 64>;
  static constexpr std::uint32_t frame_bytes = 1'518;

  void send_from_other(const ArpPacket& packet, const std::optional<VlanTag>& tag = std::nullopt) {
    const std::span<std::byte> frame = other_.acquire(ethernet_frame_bytes_min);
    const EthernetHeader header{station(1), packet.sender_mac, tag, ether_type::arp};
    header.emit(frame);
    packet.emit(frame.subspan(header.bytes()));
    ASSERT_EQ(other_.send(frame), SendOutcome::sent);
  }

  // The packets that the asking end has sent, taken off the link.
  std::vector<ArpPacket> asked() {
    std::vector<ArpPacket> packets;
    std::array<FrameArrival, 16> arrivals;
    for (std::size_t count = other_.receive(arrivals); count != 0; count = other_.receive(arrivals)) {
      for (const FrameArrival& arrival : std::span(arrivals).first(count)) {
        const auto frame = EthernetView::of(arrival.bytes);
        ArpPacket packet;
        EXPECT_TRUE(frame && frame->type() == ether_type::arp && ArpPacket::parse(frame->payload(), packet));
        EXPECT_EQ(frame->destination(), MacAddress::broadcast());
        packets.push_back(packet);
        other_.release(arrival);
      }
    }
    return packets;
  }

  [[nodiscard]] static AddressQuestion question() {
    return {.local_mac = station(1), .local_address = ours, .tag = std::nullopt, .wanted = wanted};
  }
  [[nodiscard]] static ArpPacket answer(unsigned owner) {
    return {ArpOperation::reply, station(owner), wanted, station(1), ours};
  }

  FakeClock clock_;
  platform::MappedMemory memory_ = platform::MappedMemory::map(Link::memory_bytes(frame_bytes)).value();
  Link link_{clock_, memory_.bytes(), frame_bytes};
  FramesOver<Link::Port> frames_{link_.client()};
  FramesOver<Link::Port> other_{link_.server()};
};

TEST_F(AddressResolution, FindsWhoAnswers) {
  send_from_other(answer(7));
  EXPECT_EQ(ask_for_station(frames_, question()), station(7));
  const auto packets = asked();
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_EQ(packets[0].operation, ArpOperation::request);
  EXPECT_EQ(packets[0].sender_address, ours);
  EXPECT_EQ(packets[0].target_address, wanted);
}

TEST_F(AddressResolution, AsksThreeTimesAndThenGivesUp) {
  const Instant began = clock_.now();
  EXPECT_FALSE(ask_for_station(frames_, question()));
  EXPECT_EQ(clock_.now() - began, Duration::from_ms(300));
  EXPECT_EQ(asked().size(), 3U);
  EXPECT_EQ(link_.free_slots(), 64U);
}

TEST_F(AddressResolution, ClaimsNothingInAProbe) {
  AddressQuestion probe = question();
  probe.local_address = 0;
  EXPECT_FALSE(ask_for_station(frames_, probe));
  EXPECT_EQ(asked().front().sender_address, 0U);
}

// Somebody else's claim of the wanted address counts, whatever he says it with; his claim of another address does not.
TEST_F(AddressResolution, HearsARequestInTheNameOfTheWantedAddress) {
  send_from_other({ArpOperation::request, station(9), wanted, MacAddress{}, wanted});
  EXPECT_EQ(ask_for_station(frames_, question()), station(9));
}

TEST_F(AddressResolution, DoesNotBelieveOthers) {
  ArpPacket of_another_address = answer(7);
  of_another_address.sender_address = wanted + 1;
  send_from_other(of_another_address);
  send_from_other(answer(1));  // our own station
  send_from_other(answer(7), VlanTag{5, 0});
  ArpPacket of_a_group = answer(7);
  of_a_group.sender_mac = MacAddress::broadcast();
  send_from_other(of_a_group);
  EXPECT_FALSE(ask_for_station(frames_, question()));
  EXPECT_EQ(asked().size(), 3U);
}

TEST_F(AddressResolution, AsksWithinItsVlan) {
  AddressQuestion tagged = question();
  tagged.tag = VlanTag{5, 3};
  send_from_other(answer(7), VlanTag{5, 0});
  EXPECT_EQ(ask_for_station(frames_, tagged), station(7));
}

TEST_F(AddressResolution, AnnouncesItsAddress) {
  announce_address(frames_, station(1), ours, std::nullopt);
  const auto packets = asked();
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_EQ(packets[0].sender_address, ours);
  EXPECT_EQ(packets[0].target_address, ours);
}

}  // namespace
}  // namespace rtecho::drivers

#include "drivers/ethernet_udp_port.hpp"

#include <gtest/gtest.h>

#include <string>

#include "udp_rig.hpp"

namespace rtecho::drivers {
namespace {

using rtecho::test::ScriptedFramePort;
using namespace test;

static_assert(MessagePort<EthernetUdpPort<ScriptedFramePort>>);

// The message behind headers without a tag.
constexpr std::size_t headers = 42;

TEST(EthernetUdpPort, SendsEverySizeWithRightLengthsAndChecksums) {
  UdpWireRig plain(udp_client_plan());
  UdpWireRig tagged(udp_client_plan(tag_100));
  // Up and down again: lengths and sums are prepared for one size and must follow the next.
  for (const std::size_t bytes : {0U, 1U, 2U, 17U, 18U, 19U, 44U, 46U, 47U, 1'471U, 1'472U, 1U, 1'472U, 0U, 3U}) {
    const Frame message = message_of(bytes);
    const Frame frame = plain.sent(message);
    EXPECT_EQ(frame, UdpFields{.message = message}.frame()) << bytes;
    EXPECT_EQ(frame.size(), headers + bytes);
    UdpFields expected{.message = message};
    expected.packet.link.tags = {tag_100_bytes};
    EXPECT_EQ(tagged.sent(message), expected.frame()) << bytes;
  }
}

TEST(EthernetUdpPort, CarriesNoMoreThanTheMtuHolds) {
  for (const auto& plan : {udp_client_plan(), udp_client_plan(tag_100)}) {
    UdpWireRig rig(plan);
    EXPECT_EQ(rig.port.capabilities().message_bytes_max, 1'472U);
    EXPECT_EQ(rig.port.acquire(1'472).size(), 1'472U);
    EXPECT_TRUE(rig.port.acquire(1'473).empty());
    EXPECT_TRUE(rig.port.acquire(~std::size_t{0}).empty());
  }
  ScriptedUdp scripted(udp_client_plan());
  scripted.frames.frame_bytes_max = 41;
  EXPECT_EQ(scripted.port.capabilities().message_bytes_max, 0U);
  scripted.frames.frame_bytes_max = 100'000;
  EXPECT_EQ(scripted.port.capabilities().message_bytes_max, 65'507U);
}

TEST(EthernetUdpPort, SendsTheLargestDatagramWhereFramesAreLongEnough) {
  ScriptedUdp rig(udp_client_plan());
  rig.frames.frame_bytes_max = 70'000;
  const Frame message = message_of(65'507);
  const std::span<std::byte> room = rig.port.acquire(message.size());
  std::copy(message.begin(), message.end(), room.begin());
  ASSERT_EQ(rig.port.send(room), SendOutcome::sent);
  EXPECT_EQ(rig.frames.sent.at(0), UdpFields{.message = message}.frame());
}

TEST(EthernetUdpPort, SpellsAChecksumOfZeroAsOnes) {
  UdpWireRig rig(udp_client_plan());
  // With this payload everything that is covered adds up to ones.
  const std::uint16_t missing = plain_checksum({}, PacketFields{}.pseudo_header(10) + client_port + server_port + 10);
  Frame message(2);
  put_word(message, 0, missing);
  const Frame frame = rig.sent(message);
  EXPECT_EQ(frame.at(headers - 2), std::byte{0xFF});
  EXPECT_EQ(frame.at(headers - 1), std::byte{0xFF});
  EXPECT_EQ(frame, UdpFields{.message = message}.frame());
}

TEST(EthernetUdpPort, MarksItsPacketsForTheirService) {
  EthernetUdpPlan plan = udp_client_plan();
  plan.differentiated_services = 46;
  UdpWireRig rig(plan);
  UdpFields expected{.message = message_of(5)};
  expected.packet.service = 0xB8;
  EXPECT_EQ(rig.sent(message_of(5)), expected.frame());
}

TEST(EthernetUdpPort, AnswersADatagramWithOneOfTheSameSize) {
  for (const bool is_tagged : {false, true}) {
    UdpWireRig rig(is_tagged ? udp_server_plan(tag_100) : udp_server_plan());
    for (const std::size_t bytes : {0U, 1U, 17U, 18U, 19U, 44U, 46U, 47U, 1'472U, 2U}) {
      UdpFields request{.message = message_of(bytes)};
      if (is_tagged) {
        request.packet.link.tags = {tag_100_bytes};
      }
      EXPECT_EQ(rig.answers_to(request.frame()), std::vector<Frame>{request.turned().frame()}) << bytes;
      EXPECT_EQ(rig.messages, std::vector<Frame>{request.message}) << bytes;
    }
    EXPECT_EQ(rig.port.counters().foreign_frames + rig.port.counters().malformed_frames, 0U);
  }
}

// The padding is neither part of the message nor answered.
TEST(EthernetUdpPort, AnswersAPaddedDatagramWithAShorterFrame) {
  UdpWireRig rig(udp_server_plan());
  UdpFields request{.message = message_of(1)};
  const Frame reply = request.turned().frame();
  request.packet.link.padded_to = 60;
  EXPECT_EQ(rig.answers_to(request.frame()), std::vector<Frame>{reply});
  EXPECT_EQ(reply.size(), 43U);
}

struct Named {
  std::string name;
  UdpFields fields;
};

template <typename Change>
Named changed(const char* name, const Change& change) {
  Named named{name, UdpFields{.message = message_of(10)}};
  change(named.fields);
  return named;
}

std::vector<Named> foreign_datagrams() {
  return {
      changed("to another station", [](UdpFields& f) { f.packet.link.destination = mac(3); }),
      changed("to everybody", [](UdpFields& f) { f.packet.link.destination = MacAddress::broadcast(); }),
      changed("to a group", [](UdpFields& f) { f.packet.link.destination = mac(0x5E, 0x01); }),
      changed("from another station", [](UdpFields& f) { f.packet.link.source = mac(3); }),
      changed("from a group's station", [](UdpFields& f) { f.packet.link.source = mac(1, 0x03); }),
      changed("from its own station", [](UdpFields& f) { f.packet.link.source = server_mac; }),
      changed("of a VLAN", [](UdpFields& f) { f.packet.link.tags = {0x8100'0064}; }),
      changed("of two VLANs",
              [](UdpFields& f) {
                f.packet.link.tags = {0x8100'0000, 0x8100'0000};
              }),
      changed("of a provider's VLAN", [](UdpFields& f) { f.packet.link.tags = {0x88A8'0000}; }),
      changed("to another address", [](UdpFields& f) { f.packet.destination = server_address + 1; }),
      changed("to everybody's address", [](UdpFields& f) { f.packet.destination = 0xFFFF'FFFF; }),
      changed("to a group's address", [](UdpFields& f) { f.packet.destination = 0xE000'0001; }),
      changed("from another address", [](UdpFields& f) { f.packet.source = client_address + 8; }),
      changed("from its own address", [](UdpFields& f) { f.packet.source = server_address; }),
      changed("from everybody's address", [](UdpFields& f) { f.packet.source = 0xFFFF'FFFF; }),
      changed("of TCP", [](UdpFields& f) { f.packet.protocol = 6; }),
      changed("to another port", [](UdpFields& f) { f.destination_port = server_port + 1; }),
      changed("from another port", [](UdpFields& f) { f.source_port = client_port + 1; }),
      changed("from its own port", [](UdpFields& f) { f.source_port = server_port; }),
      changed("from the echo service", [](UdpFields& f) { f.source_port = 7; }),
  };
}

TEST(EthernetUdpPort, NeverAnswersWhatIsNotForIt) {
  for (const bool own_address : {false, true}) {
    EthernetUdpPlan plan = udp_server_plan();
    plan.session.own_address = own_address;
    UdpWireRig rig(plan);
    std::uint64_t foreign = 0;
    for (const auto& [name, fields] : foreign_datagrams()) {
      EXPECT_TRUE(rig.answers_to(fields.frame()).empty()) << name;
      EXPECT_TRUE(rig.messages.empty()) << name;
      EXPECT_EQ(rig.port.counters().foreign_frames, ++foreign) << name;
    }
    EXPECT_EQ(rig.port.counters().malformed_frames + rig.port.counters().checksum_wrong, 0U);
  }
}

TEST(EthernetUdpPort, CountsWhatLiesByItsCause) {
  const std::vector<Named> malformed{
      changed("of IPv6", [](UdpFields& f) { f.packet.first_byte = 0x65; }),
      changed("with options",
              [](UdpFields& f) {
                f.packet.first_byte = 0x46;
                f.packet.options = Frame(4, std::byte{1});
              }),
      changed("with a header of 16 bytes", [](UdpFields& f) { f.packet.first_byte = 0x44; }),
      changed("a first fragment", [](UdpFields& f) { f.packet.fragment = 0x2000; }),
      changed("a last fragment", [](UdpFields& f) { f.packet.fragment = 0x0001; }),
      changed("a packet longer than its frame", [](UdpFields& f) { f.packet.total_bytes = 39; }),
      changed("a packet shorter than its header", [](UdpFields& f) { f.packet.total_bytes = 19; }),
      changed("a packet without a datagram", [](UdpFields& f) { f.packet.total_bytes = 20; }),
      changed("a packet of half a header", [](UdpFields& f) { f.packet.total_bytes = 27; }),
      changed("a datagram longer than its packet", [](UdpFields& f) { f.bytes = 19; }),
      changed("a datagram shorter than its header", [](UdpFields& f) { f.bytes = 7; }),
      changed("a datagram of no length", [](UdpFields& f) { f.bytes = 0; }),
  };
  const std::vector<Named> wrong{
      changed("the packet's checksum", [](UdpFields& f) { f.packet.checksum = 0x1234; }),
      changed("the packet's checksum, absent", [](UdpFields& f) { f.packet.checksum = 0; }),
      changed("the datagram's checksum", [](UdpFields& f) { f.checksum = 0x1234; }),
      changed("the datagram's checksum of another length", [](UdpFields& f) { f.bytes = 17; }),
  };
  UdpWireRig rig(udp_server_plan());
  for (const auto& [name, fields] : malformed) {
    const std::uint64_t before = rig.port.counters().malformed_frames;
    EXPECT_TRUE(rig.answers_to(fields.frame()).empty()) << name;
    EXPECT_EQ(rig.port.counters().malformed_frames, before + 1) << name;
  }
  for (const auto& [name, fields] : wrong) {
    const std::uint64_t before = rig.port.counters().checksum_wrong;
    EXPECT_TRUE(rig.answers_to(fields.frame()).empty()) << name;
    EXPECT_EQ(rig.port.counters().checksum_wrong, before + 1) << name;
  }
  EXPECT_EQ(rig.port.counters().foreign_frames, 0U);
}

TEST(EthernetUdpPort, TakesNoFrameWithAnyBitFlipped) {
  UdpWireRig rig(udp_server_plan());
  const Frame frame = UdpFields{.message = message_of(20)}.frame();
  for (std::size_t bit = 0; bit < frame.size() * 8; ++bit) {
    Frame altered = frame;
    altered[bit / 8] ^= std::byte{1} << (bit % 8);
    ASSERT_TRUE(rig.answers_to(altered).empty()) << bit;
  }
  const PortCounters counters = rig.port.counters();
  EXPECT_EQ(counters.foreign_frames + counters.malformed_frames + counters.checksum_wrong, frame.size() * 8);
}

TEST(EthernetUdpPort, TakesNoFrameThatWasCut) {
  UdpWireRig rig(udp_server_plan());
  const Frame frame = UdpFields{.message = message_of(20)}.frame();
  for (std::size_t bytes = 0; bytes < frame.size(); ++bytes) {
    ASSERT_TRUE(rig.answers_to(Frame(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(bytes))).empty());
  }
  EXPECT_EQ(rig.port.counters().foreign_frames, 14U);
  EXPECT_EQ(rig.port.counters().malformed_frames, frame.size() - 14);
}

TEST(EthernetUdpPort, TakesADatagramWithoutAChecksumAndAnswersWithOne) {
  UdpWireRig rig(udp_server_plan());
  UdpFields request{.message = message_of(7), .checksum = 0};
  const std::vector<Frame> answers = rig.answers_to(request.frame());
  request.checksum.reset();
  EXPECT_EQ(answers, std::vector<Frame>{request.turned().frame()});
}

TEST(EthernetUdpPort, CompletesTheChecksumThatAVirtualNicLeftUnfinished) {
  UdpFields request{.message = message_of(7)};
  const Frame reply = request.turned().frame();
  request.checksum = plain_sum({}, PacketFields{}.pseudo_header(15));
  UdpWireRig rig(udp_server_plan());
  EXPECT_EQ(rig.answers_to(request.frame()), std::vector<Frame>{reply});
  EXPECT_EQ(rig.port.counters().checksum_partial, 1U);

  ScriptedUdp told(udp_server_plan());
  ASSERT_EQ(told.look_at({.frame = request.frame(), .checksum = ChecksumState::partial}), 1U);
  ASSERT_EQ(told.port.reply(told.arrivals[0]), SendOutcome::sent);
  EXPECT_EQ(told.frames.replies, std::vector<Frame>{reply});
  EXPECT_EQ(told.port.counters().checksum_partial, 1U);
}

TEST(EthernetUdpPort, BelievesADriverThatHasVerifiedTheChecksum) {
  ScriptedUdp rig(udp_server_plan());
  const Frame wrong = UdpFields{.message = message_of(7), .checksum = 0x1234}.frame();
  EXPECT_EQ(rig.look_at({.frame = wrong, .checksum = ChecksumState::verified}), 1U);
  EXPECT_EQ(rig.look_at({.frame = wrong, .checksum = ChecksumState::unknown}), 0U);
  UdpFields wrong_packet{.message = message_of(7)};
  wrong_packet.packet.checksum = 0x1234;
  EXPECT_EQ(rig.look_at({.frame = wrong_packet.frame(), .checksum = ChecksumState::verified}), 0U);
  EXPECT_EQ(rig.port.counters().checksum_wrong, 2U);
}

// --- who the peer is ------------------------------------------------------------------------------------------------

TEST(EthernetUdpPort, LearnsThePeersStationFromItsFirstDatagram) {
  EthernetUdpPlan plan = udp_server_plan();
  plan.peer_mac = MacAddress{};
  UdpWireRig rig(plan);
  for (const auto& [name, fields] : foreign_datagrams()) {
    if (name != "from another station") {
      EXPECT_TRUE(rig.answers_to(fields.frame()).empty()) << name;
      EXPECT_TRUE(rig.port.peer_mac().is_zero()) << name;
    }
  }
  UdpFields request{.message = message_of(9)};
  request.packet.link.source = mac(7);
  EXPECT_EQ(rig.answers_to(request.frame()), std::vector<Frame>{request.turned().frame()});
  EXPECT_EQ(rig.port.peer_mac(), mac(7));
  EXPECT_TRUE(rig.answers_to(UdpFields{.message = message_of(9)}.frame()).empty()) << "another station by now";
  UdpFields sent = request.turned();
  sent.message = message_of(30);
  EXPECT_EQ(rig.sent(sent.message), sent.frame());
}

TEST(EthernetUdpPort, LearnsNothingFromADatagramThatIsWrong) {
  EthernetUdpPlan plan = udp_server_plan();
  plan.peer_mac = MacAddress{};
  UdpWireRig rig(plan);
  UdpFields request{.message = message_of(9), .checksum = 0x1234};
  request.packet.link.source = mac(7);
  EXPECT_TRUE(rig.answers_to(request.frame()).empty());
  EXPECT_EQ(rig.port.counters().checksum_wrong, 1U);
  EXPECT_TRUE(rig.port.peer_mac().is_zero()) << "one broken frame must not choose whom we answer";
  EXPECT_EQ(rig.answers_to(UdpFields{.message = message_of(9)}.frame()).size(), 1U);
  EXPECT_EQ(rig.port.peer_mac(), client_mac);
}

// --- what only some drivers do --------------------------------------------------------------------------------------

TEST(EthernetUdpPort, PutsAStrippedTagBackIntoTheHeadroom) {
  for (const std::size_t bytes : {1U, 100U, 1'472U, 2U}) {
    UdpFields request{.message = message_of(bytes)};
    ScriptedUdp rig(udp_server_plan(tag_100), 4);
    ASSERT_EQ(rig.look_at({.frame = request.frame(), .tag_was_stripped = true, .stripped_tag = 0x0064}), 1U);
    ASSERT_EQ(rig.port.reply(rig.arrivals[0]), SendOutcome::sent);
    request.packet.link.tags = {tag_100_bytes};
    EXPECT_EQ(rig.frames.replies, std::vector<Frame>{request.turned().frame()});
  }
}

TEST(EthernetUdpPort, RefusesAReplyThatHasNoRoomForItsTag) {
  ScriptedUdp rig(udp_server_plan(tag_100), 3);
  const Frame request = UdpFields{.message = message_of(9)}.frame();
  ASSERT_EQ(rig.look_at({.frame = request, .tag_was_stripped = true, .stripped_tag = 0x0064}), 1U);
  EXPECT_EQ(rig.port.reply(rig.arrivals[0]), SendOutcome::failed);
  EXPECT_TRUE(rig.frames.replies.empty());
  EXPECT_EQ(rig.frames.released, 1U);
  EXPECT_EQ(rig.port.counters().send_failed, 1U);
}

TEST(EthernetUdpPort, TakesNoDatagramWhoseEndIsMissing) {
  ScriptedUdp rig(udp_server_plan());
  Frame cut = UdpFields{.message = message_of(200)}.frame();
  cut.resize(100);
  EXPECT_EQ(rig.look_at({.frame = cut, .truncated = true}), 0U);
  EXPECT_EQ(rig.port.counters().malformed_frames, 1U);
  EXPECT_EQ(rig.frames.released, 1U);
}

TEST(EthernetUdpPort, PassesOnWhatTheDriverSays) {
  ScriptedUdp rig(udp_client_plan());
  EXPECT_EQ(rig.port.counters().receive_overruns, 3U) << "the driver's own";
  const std::span<std::byte> message = rig.port.acquire(10);
  rig.frames.outcome = SendOutcome::would_block;
  EXPECT_EQ(rig.port.send(message), SendOutcome::would_block);
  rig.frames.outcome = SendOutcome::sent;
  EXPECT_EQ(rig.port.send(message), SendOutcome::sent) << "the same message again";
  rig.frames.frames_left = false;
  EXPECT_EQ(rig.port.acquire(10).data(), nullptr);
}

}  // namespace
}  // namespace rtecho::drivers

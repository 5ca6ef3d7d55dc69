// What EthernetUdpPort answers in the place of a kernel: ARP and ping for an address of its own, and nothing else.
#include <gtest/gtest.h>

#include <string>

#include "udp_rig.hpp"

namespace rtecho::drivers {
namespace {

using namespace test;

EthernetUdpPlan host_plan(const std::optional<VlanTag>& tag = std::nullopt) {
  EthernetUdpPlan plan = udp_server_plan(tag);
  plan.session.own_address = true;
  return plan;
}

struct ArpFields {
  LinkFields link{.destination = MacAddress::broadcast()};
  std::uint32_t operation = 1;
  MacAddress sender_mac = client_mac;
  std::uint32_t sender_address = client_address;
  MacAddress target_mac{};
  std::uint32_t target_address = server_address;
  Frame padding{};

  [[nodiscard]] Frame frame() const {
    Frame packet = from_hex("0001 0800 06 04");
    append_word(packet, operation);
    append_mac(packet, sender_mac);
    append_address(packet, sender_address);
    append_mac(packet, target_mac);
    append_address(packet, target_address);
    append(packet, padding);
    return link.frame(0x0806, packet);
  }
};

ArpFields arp_reply() {
  return {.link = {client_mac, server_mac},
          .operation = 2,
          .sender_mac = server_mac,
          .sender_address = server_address,
          .target_mac = client_mac,
          .target_address = client_address};
}

struct PingFields {
  PacketFields packet{.protocol = 1};
  std::uint32_t type_and_code = 0x0800;
  Frame rest = from_hex("1234 0001 6162636465");  // identifier, sequence, payload
  std::optional<std::uint32_t> checksum{};

  [[nodiscard]] Frame frame() const {
    Frame message;
    append_word(message, type_and_code);
    append_word(message, 0);
    append(message, rest);
    put_word(message, 2, checksum.value_or(plain_checksum(message)));
    return packet.frame(message);
  }
  [[nodiscard]] PingFields turned() const {
    PingFields reply = *this;
    reply.type_and_code = 0;
    reply.packet.link = packet.link.turned();
    std::swap(reply.packet.source, reply.packet.destination);
    return reply;
  }
};

// --- ARP ------------------------------------------------------------------------------------------------------------

TEST(EthernetUdpHost, AnswersWhoHasItsAddress) {
  UdpWireRig rig(host_plan());
  EXPECT_EQ(rig.answers_to(ArpFields{}.frame()), std::vector<Frame>{arp_reply().frame()});
  EXPECT_EQ(rig.answers_to(ArpFields{.link = {}}.frame()), std::vector<Frame>{arp_reply().frame()}) << "asked directly";
  EXPECT_EQ(rig.port.counters().requests_answered, 2U);
  EXPECT_EQ(rig.port.counters().foreign_frames, 0U);
  EXPECT_TRUE(rig.messages.empty());
}

TEST(EthernetUdpHost, AnswersAProbe) {
  UdpWireRig rig(host_plan());
  ArpFields reply = arp_reply();
  reply.target_address = 0;
  EXPECT_EQ(rig.answers_to(ArpFields{.sender_address = 0}.frame()), std::vector<Frame>{reply.frame()});
}

TEST(EthernetUdpHost, AnswersInItsVlan) {
  UdpWireRig rig(host_plan(tag_100));
  ArpFields request;
  EXPECT_TRUE(rig.answers_to(request.frame()).empty());
  request.link.tags = {0x8100'0064};
  ArpFields reply = arp_reply();
  reply.link.tags = {tag_100_bytes};
  EXPECT_EQ(rig.answers_to(request.frame()), std::vector<Frame>{reply.frame()});
  PingFields ping;
  EXPECT_TRUE(rig.answers_to(ping.frame()).empty());
  ping.packet.link.tags = {tag_100_bytes};
  EXPECT_EQ(rig.answers_to(ping.frame()), std::vector<Frame>{ping.turned().frame()});
}

std::vector<std::pair<std::string, ArpFields>> unanswered_arp() {
  return {
      {"for somebody else", {.target_address = server_address + 1}},
      {"for nobody", {.target_address = 0}},
      {"a reply", {.link = {}, .operation = 2}},
      {"an unknown operation", {.operation = 3}},
      {"in the name of our own address", {.sender_address = server_address}},
      {"in the name of our own station", {.sender_mac = server_mac}},
      {"in the name of a group's station", {.sender_mac = mac(1, 0x03)}},
      {"in the name of nobody's station", {.sender_mac = MacAddress{}}},
      {"in the name of a group", {.sender_address = 0xE000'0001}},
      {"in the name of everybody", {.sender_address = 0xFFFF'FFFF}},
      {"from our own station", {.link = {MacAddress::broadcast(), server_mac}}},
      {"from a group's station", {.link = {MacAddress::broadcast(), mac(1, 0x03)}}},
      {"from nobody's station", {.link = {MacAddress::broadcast(), MacAddress{}}}},
      {"to another station", {.link = {mac(3), client_mac}}},
      {"to a group", {.link = {mac(0x5E, 0x01), client_mac}}},
      {"of a VLAN", {.link = {MacAddress::broadcast(), client_mac, {0x8100'0064}}}},
      {"of two VLANs", {.link = {MacAddress::broadcast(), client_mac, {0x8100'0000, 0x8100'0000}}}},
  };
}

TEST(EthernetUdpHost, AnswersNoOtherArp) {
  UdpWireRig rig(host_plan());
  std::uint64_t foreign = 0;
  for (const auto& [name, fields] : unanswered_arp()) {
    EXPECT_TRUE(rig.answers_to(fields.frame()).empty()) << name;
    EXPECT_EQ(rig.port.counters().foreign_frames, ++foreign) << name;
  }
  EXPECT_EQ(rig.port.counters().requests_answered, 0U);
}

TEST(EthernetUdpHost, AnswersNoArpThatWasCut) {
  UdpWireRig rig(host_plan());
  const Frame frame = ArpFields{}.frame();
  for (std::size_t bytes = 0; bytes < 42; ++bytes) {
    EXPECT_TRUE(rig.answers_to(Frame(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(bytes))).empty());
  }
  EXPECT_EQ(rig.answers_to(Frame(frame.begin(), frame.begin() + 42)).at(0).size(), 42U);
  ScriptedUdp scripted(host_plan());
  EXPECT_EQ(scripted.look_at({.frame = frame, .truncated = true}), 0U);
  EXPECT_TRUE(scripted.frames.replies.empty());
}

// --- ping -----------------------------------------------------------------------------------------------------------

TEST(EthernetUdpHost, AnswersAPing) {
  UdpWireRig rig(host_plan());
  for (const std::size_t bytes : {4U, 5U, 60U, 1'476U}) {
    PingFields ping;
    ping.rest = message_of(bytes);
    ping.packet.time_to_live = 3;
    ping.packet.fragment = 0;
    PingFields reply = ping.turned();
    reply.packet.time_to_live = 64;
    reply.packet.fragment = 0x4000;
    EXPECT_EQ(rig.answers_to(ping.frame()), std::vector<Frame>{reply.frame()}) << bytes;
  }
  EXPECT_EQ(rig.port.counters().requests_answered, 4U);
}

TEST(EthernetUdpHost, AnswersAPingFromAnybodyWhoMayAsk) {
  UdpWireRig rig(host_plan());
  PingFields ping;
  ping.packet.source = 0x0A00'0063;
  ping.packet.link.source = mac(9);
  EXPECT_EQ(rig.answers_to(ping.frame()), std::vector<Frame>{ping.turned().frame()});
}

TEST(EthernetUdpHost, AnswersNoOtherPing) {
  std::vector<std::pair<std::string, PingFields>> pings;
  const auto add = [&](const char* name, const auto& change) {
    pings.emplace_back(name, PingFields{});
    change(pings.back().second);
  };
  add("a reply", [](PingFields& f) { f.type_and_code = 0; });
  add("a port unreachable", [](PingFields& f) { f.type_and_code = 0x0303; });
  add("a timestamp request", [](PingFields& f) { f.type_and_code = 0x0D00; });
  add("of another code", [](PingFields& f) { f.type_and_code = 0x0801; });
  add("with a wrong checksum", [](PingFields& f) { f.checksum = 0x1234; });
  add("without a checksum", [](PingFields& f) { f.checksum = 0; });
  add("cut in its header", [](PingFields& f) { f.rest = Frame(3); });
  add("to another address", [](PingFields& f) { f.packet.destination = server_address + 1; });
  add("to everybody's address", [](PingFields& f) { f.packet.destination = 0xFFFF'FFFF; });
  add("to a group's address", [](PingFields& f) { f.packet.destination = 0xE000'0001; });
  add("from its own address", [](PingFields& f) { f.packet.source = server_address; });
  add("from everybody's address", [](PingFields& f) { f.packet.source = 0xFFFF'FFFF; });
  add("from a group's address", [](PingFields& f) { f.packet.source = 0xE000'0001; });
  add("from nobody's address", [](PingFields& f) { f.packet.source = 0; });
  add("from the host's own network", [](PingFields& f) { f.packet.source = 0x7F00'0001; });
  add("to everybody", [](PingFields& f) { f.packet.link.destination = MacAddress::broadcast(); });
  add("to another station", [](PingFields& f) { f.packet.link.destination = mac(3); });
  add("from its own station", [](PingFields& f) { f.packet.link.source = server_mac; });
  add("from a group's station", [](PingFields& f) { f.packet.link.source = mac(1, 0x03); });
  add("of a VLAN", [](PingFields& f) { f.packet.link.tags = {0x8100'0064}; });
  UdpWireRig rig(host_plan());
  std::uint64_t foreign = 0;
  for (const auto& [name, fields] : pings) {
    EXPECT_TRUE(rig.answers_to(fields.frame()).empty()) << name;
    EXPECT_EQ(rig.port.counters().foreign_frames, ++foreign) << name;
  }
  PingFields fragment;
  fragment.packet.fragment = 0x2000;
  EXPECT_TRUE(rig.answers_to(fragment.frame()).empty());
  PingFields options;
  options.packet.first_byte = 0x46;
  options.packet.options = Frame(4, std::byte{1});
  EXPECT_TRUE(rig.answers_to(options.frame()).empty());
  EXPECT_EQ(rig.port.counters().malformed_frames, 2U);
  EXPECT_EQ(rig.port.counters().requests_answered, 0U);
}

TEST(EthernetUdpHost, AnswersNoPingWithAnyBitFlippedButThoseOfItsSender) {
  UdpWireRig rig(host_plan());
  const PingFields ping;
  const Frame frame = ping.frame();
  const std::size_t whole = 14 + 20 + 4 + ping.rest.size();
  for (std::size_t bit = 0; bit < whole * 8; ++bit) {
    if (bit / 8 >= 6 && bit / 8 < 12) {
      continue;  // the asking station, which only Ethernet's own check covers
    }
    Frame altered = frame;
    altered[bit / 8] ^= std::byte{1} << (bit % 8);
    ASSERT_TRUE(rig.answers_to(altered).empty()) << bit;
  }
}

// --- whose address it is --------------------------------------------------------------------------------------------

TEST(EthernetUdpHost, LeavesEverythingToAKernelThatHoldsTheAddress) {
  UdpWireRig rig(udp_server_plan());
  EXPECT_TRUE(rig.answers_to(ArpFields{}.frame()).empty());
  EXPECT_TRUE(rig.answers_to(PingFields{}.frame()).empty());
  EXPECT_EQ(rig.port.counters().foreign_frames, 2U);
  EXPECT_EQ(rig.port.counters().requests_answered, 0U);
}

TEST(EthernetUdpHost, DoesNotTurnTwoHostsOnEachOther) {
  UdpWireRig rig(host_plan());
  const std::vector<Frame> answers = rig.answers_to(PingFields{}.frame());
  ASSERT_EQ(answers.size(), 1U);
  EthernetUdpPlan asker = udp_client_plan();
  asker.session.own_address = true;
  UdpWireRig other(asker);
  EXPECT_TRUE(other.answers_to(answers[0]).empty());
  EXPECT_TRUE(other.answers_to(arp_reply().frame()).empty());
}

// The first of these is answered, which frees its frame; the message of the same look is still there.
TEST(EthernetUdpHost, AnswersBetweenTwoMessages) {
  UdpWireRig rig(host_plan());
  const UdpFields first{.message = message_of(1)};
  const UdpFields second{.message = message_of(200)};
  rig.put(first.frame());
  rig.put(ArpFields{}.frame());
  rig.put(second.frame());
  rig.put(PingFields{}.frame());
  const std::vector<Frame> answers = rig.served();
  EXPECT_EQ(answers, (std::vector<Frame>{arp_reply().frame(), PingFields{}.turned().frame(), first.turned().frame(),
                                         second.turned().frame()}));
}

TEST(EthernetUdpHost, NeedsRoomForTheTagOfItsAnswer) {
  for (const std::uint32_t headroom : {0U, 4U}) {
    ScriptedUdp rig(host_plan(tag_100), headroom);
    for (const Frame& frame : {ArpFields{}.frame(), PingFields{}.frame()}) {
      EXPECT_EQ(rig.look_at({.frame = frame, .tag_was_stripped = true, .stripped_tag = 0x0064}), 0U);
    }
    EXPECT_EQ(rig.frames.replies.size(), headroom == 4 ? 2U : 0U);
    EXPECT_EQ(rig.frames.released, headroom == 4 ? 0U : 2U);
    EXPECT_EQ(rig.port.counters().send_failed, headroom == 4 ? 0U : 2U);
    EXPECT_EQ(rig.port.counters().requests_answered, headroom == 4 ? 2U : 0U);
  }
}

TEST(EthernetUdpHost, CountsOnlyAnswersThatWereTaken) {
  ScriptedUdp rig(host_plan());
  rig.frames.outcome = SendOutcome::would_block;
  EXPECT_EQ(rig.look_at({.frame = ArpFields{}.frame()}), 0U);
  EXPECT_EQ(rig.port.counters().requests_answered, 0U);
  EXPECT_EQ(rig.frames.released, 0U) << "an answer that fails gives the memory back itself";
}

}  // namespace
}  // namespace rtecho::drivers

#include "drivers/ethernet_raw_port.hpp"

#include <gtest/gtest.h>

#include <string>

#include "hand_made_frames.hpp"
#include "scripted_frame_port.hpp"

namespace rtecho::drivers {
namespace {

using rtecho::test::ScriptedFramePort;
using namespace test;

using LoopbackFrames = FramesOver<LoopbackLink<FakeClock, 64>::Port>;
using Rig = WireRig<EthernetRawPort<LoopbackFrames>, EthernetRawPlan>;
static_assert(MessagePort<EthernetRawPort<LoopbackFrames>>);
static_assert(MessagePort<EthernetRawPort<ScriptedFramePort>>);

constexpr VlanTag tag_100{100, 5};
constexpr std::uint32_t tag_100_bytes = 0x8100'A064;

EthernetRawPlan server_plan(const std::optional<VlanTag>& tag = std::nullopt) {
  return {server_mac, client_mac, tag};
}
EthernetRawPlan client_plan(const std::optional<VlanTag>& tag = std::nullopt) {
  return {client_mac, server_mac, tag};
}

TEST(EthernetRawPort, SendsEverySizeWithItsLengthPaddedToTheShortestFrame) {
  Rig plain(client_plan());
  Rig tagged(client_plan(tag_100));
  for (const std::size_t bytes : {0U, 1U, 2U, 43U, 44U, 45U, 46U, 47U, 1'472U, 1'497U, 1'498U}) {
    const Frame message = message_of(bytes);
    const Frame frame = plain.sent(message);
    EXPECT_EQ(frame, RawFields{.message = message}.frame()) << bytes;
    EXPECT_EQ(frame.size(), bytes <= 44 ? 60 : 16 + bytes);
    EXPECT_EQ(tagged.sent(message), (RawFields{.link = {.tags = {tag_100_bytes}}, .message = message}.frame()))
        << bytes;
  }
  EXPECT_EQ(tagged.sent(message_of(40)).size(), 60U);
  EXPECT_EQ(tagged.sent(message_of(41)).size(), 61U);
}

TEST(EthernetRawPort, CarriesNoMoreThanTheMtuHolds) {
  for (const auto& plan : {client_plan(), client_plan(tag_100)}) {
    Rig rig(plan);
    EXPECT_EQ(rig.port.capabilities().message_bytes_max, 1'498U);
    EXPECT_EQ(rig.port.acquire(1'498).size(), 1'498U);
    EXPECT_TRUE(rig.port.acquire(1'499).empty());
    EXPECT_TRUE(rig.port.acquire(~std::size_t{0}).empty());
  }
  ScriptedFramePort frames;
  frames.frame_bytes_max = 15;
  const EthernetRawPort<ScriptedFramePort> none(frames, client_plan());
  EXPECT_EQ(none.capabilities().message_bytes_max, 0U);
  frames.frame_bytes_max = 100'000;
  EXPECT_EQ(none.capabilities().message_bytes_max, 65'535U) << "what two bytes can say";
}

TEST(EthernetRawPort, LeavesNothingOfAnEarlierMessageInThePadding) {
  Rig rig(client_plan());
  (void)rig.sent(Frame(1'400, std::byte{0xAA}));
  EXPECT_EQ(rig.sent(message_of(3)), RawFields{.message = message_of(3)}.frame());
}

TEST(EthernetRawPort, AnswersWhereItWasAskedFromWithAFrameOfTheSameSize) {
  for (const std::size_t bytes : {0U, 1U, 43U, 44U, 45U, 46U, 47U, 1'472U, 1'498U}) {
    for (const bool is_tagged : {false, true}) {
      Rig rig(is_tagged ? server_plan(tag_100) : server_plan());
      RawFields request{.message = message_of(bytes)};
      if (is_tagged) {
        request.link.tags = {tag_100_bytes};
      }
      RawFields reply = request;
      reply.link = request.link.turned();
      EXPECT_EQ(rig.answers_to(request.frame()), std::vector<Frame>{reply.frame()}) << bytes;
      EXPECT_EQ(rig.messages, std::vector<Frame>{request.message}) << bytes;
    }
  }
}

TEST(EthernetRawPort, NeverAnswersWhatIsNotForIt) {
  const Frame message = message_of(10);
  const auto from = [&](const LinkFields& link) { return RawFields{.link = link, .message = message}.frame(); };
  const std::vector<std::pair<std::string, Frame>> frames{
      {"to another station", from({.destination = mac(3)})},
      {"to everybody", from({.destination = MacAddress::broadcast()})},
      {"to a group", from({.destination = mac(2, 0x01)})},
      {"from another station", from({.source = mac(3)})},
      {"from a group", from({.source = mac(1, 0x03)})},
      {"from everybody", from({.source = MacAddress::broadcast()})},
      {"from its own address", from({.source = server_mac})},
      {"from nobody", from({.source = MacAddress{}})},
      {"of a VLAN", from({.tags = {0x8100'0064}})},
      {"of two VLANs", from({.tags = {0x8100'0000, 0x8100'0000}})},
      {"of a provider's VLAN", from({.tags = {0x88A8'0000}})},
      {"of another protocol", RawFields{.type = 0x88B6, .message = message}.frame()},
      {"with a length in place of its type", RawFields{.type = 12, .message = message}.frame()},
  };
  for (const bool answers_anybody : {false, true}) {
    EthernetRawPlan plan = server_plan();
    if (answers_anybody) {
      plan.peer = MacAddress{};
    }
    Rig rig(plan);
    std::uint64_t foreign = 0;
    for (const auto& [name, frame] : frames) {
      if (answers_anybody && name == "from another station") {
        continue;
      }
      EXPECT_TRUE(rig.answers_to(frame).empty()) << name;
      EXPECT_TRUE(rig.messages.empty()) << name;
      EXPECT_EQ(rig.port.counters().foreign_frames, ++foreign) << name;
    }
    EXPECT_EQ(rig.port.counters().malformed_frames, 0U);
  }
}

TEST(EthernetRawPort, TakesItsOwnVlanOnly) {
  Rig rig(server_plan(tag_100));
  for (const std::vector<std::uint32_t>& tags : std::vector<std::vector<std::uint32_t>>{
           {}, {0x8100'0000}, {0x8100'0065}, {0x8100'0064, 0x8100'0064}, {0x88A8'0064}}) {
    EXPECT_TRUE(rig.answers_to(RawFields{.link = {.tags = tags}, .message = message_of(4)}.frame()).empty());
  }
  EXPECT_EQ(rig.port.counters().foreign_frames, 5U);
  EXPECT_EQ(rig.answers_to(RawFields{.link = {.tags = {0x8100'0064}}, .message = message_of(4)}.frame()),
            (std::vector<Frame>{
                RawFields{.link = {client_mac, server_mac, {tag_100_bytes}}, .message = message_of(4)}.frame()}))
      << "whatever its priority, the answer has the planned one";
}

TEST(EthernetRawPort, AnswersAFrameOfAPriorityWithoutTheTag) {
  Rig rig(server_plan());
  const std::vector<Frame> answers =
      rig.answers_to(RawFields{.link = {.tags = {0x8100'E000}}, .message = message_of(100)}.frame());
  EXPECT_EQ(answers,
            (std::vector<Frame>{RawFields{.link = {client_mac, server_mac, {}}, .message = message_of(100)}.frame()}));
}

TEST(EthernetRawPort, TakesNoLengthThatLies) {
  Rig rig(server_plan());
  std::uint64_t lies = 0;
  for (std::uint32_t length = 0; length <= 0xFFFF; length += length < 200 ? 1 : 97) {
    const std::vector<Frame> answers = rig.answers_to(RawFields{.message = message_of(60), .length = length}.frame());
    if (length <= 60) {
      ASSERT_EQ(answers.size(), 1U) << length;
      ASSERT_EQ(rig.messages[0].size(), length);
      ASSERT_EQ(answers[0].size(), length <= 44 ? 60U : 16 + length) << "as short as its own message allows";
    } else {
      ASSERT_TRUE(answers.empty()) << length;
      ++lies;
    }
  }
  EXPECT_EQ(rig.port.counters().malformed_frames, lies);
}

TEST(EthernetRawPort, AnswersNoFrameLongerThanItCame) {
  Rig rig(server_plan());
  const Frame whole = RawFields{.message = message_of(50)}.frame();
  std::uint64_t foreign = 0;
  std::uint64_t malformed = 0;
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    EXPECT_TRUE(rig.answers_to(Frame(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes))).empty());
    ++(bytes < 14 ? foreign : malformed);
  }
  EXPECT_EQ(rig.port.counters().foreign_frames, foreign);
  EXPECT_EQ(rig.port.counters().malformed_frames, malformed);

  const Frame short_one = RawFields{.link = {.padded_to = 0}, .message = message_of(5)}.frame();
  ASSERT_EQ(short_one.size(), 21U);
  EXPECT_EQ(rig.answers_to(short_one).at(0).size(), 21U) << "what is behind its end is not ours to send";
}

TEST(EthernetRawPort, AnswersAnybodyWhereNoPeerIsPlanned) {
  Rig rig({server_mac, MacAddress{}, std::nullopt});
  rig.put(RawFields{.link = {.source = mac(7)}, .message = message_of(4)}.frame());
  rig.put(RawFields{.link = {.source = mac(8)}, .message = message_of(5)}.frame());
  EXPECT_EQ(rig.served(),
            (std::vector<Frame>{RawFields{.link = {mac(7), server_mac, {}}, .message = message_of(4)}.frame(),
                                RawFields{.link = {mac(8), server_mac, {}}, .message = message_of(5)}.frame()}));
}

// --- what only some drivers do --------------------------------------------------------------------------------------

struct Scripted {
  explicit Scripted(const EthernetRawPlan& plan, std::uint32_t headroom = 0) : port(frames, plan) {
    frames.headroom_bytes = headroom;
  }
  SendOutcome serve(ScriptedFramePort::Delivery delivery) {
    frames.arrive(std::move(delivery));
    EXPECT_EQ(port.receive(arrivals), 1U);
    return port.reply(arrivals[0]);
  }
  ScriptedFramePort frames;
  EthernetRawPort<ScriptedFramePort> port;
  std::array<Arrival, 16> arrivals;
};

TEST(EthernetRawPort, PutsAStrippedTagBackIntoTheHeadroom) {
  for (const std::size_t bytes : {1U, 39U, 40U, 41U, 1'498U}) {
    // On the wire of 60 bytes at least; without its tag 4 shorter.
    const RawFields request{.link = {.padded_to = 56}, .message = message_of(bytes)};
    Scripted rig(server_plan(tag_100), 4);
    ASSERT_EQ(rig.serve({.frame = request.frame(), .tag_was_stripped = true, .stripped_tag = 0x0064}),
              SendOutcome::sent);
    EXPECT_EQ(rig.frames.replies,
              (std::vector<Frame>{
                  RawFields{.link = {client_mac, server_mac, {tag_100_bytes}}, .message = message_of(bytes)}.frame()}))
        << bytes;
  }
}

TEST(EthernetRawPort, RefusesAReplyThatHasNoRoomForItsTag) {
  for (const std::uint32_t headroom : {0U, 3U}) {
    Scripted rig(server_plan(tag_100), headroom);
    const ScriptedFramePort::Delivery delivery{
        .frame = RawFields{.message = message_of(9)}.frame(), .tag_was_stripped = true, .stripped_tag = 0x0064};
    EXPECT_EQ(rig.serve(delivery), SendOutcome::failed);
    EXPECT_TRUE(rig.frames.replies.empty());
    EXPECT_EQ(rig.frames.released, 1U);
    EXPECT_EQ(rig.port.counters().send_failed, 1U);
  }
}

TEST(EthernetRawPort, SaysThatAMessageWasCut) {
  Scripted rig(server_plan());
  Frame cut = RawFields{.message = message_of(200)}.frame();
  cut.resize(100);
  rig.frames.arrive({.frame = cut, .truncated = true});
  ASSERT_EQ(rig.port.receive(rig.arrivals), 1U);
  EXPECT_TRUE(rig.arrivals[0].truncated);
  EXPECT_EQ(rig.arrivals[0].bytes.size(), 84U);
  rig.port.release(rig.arrivals[0]);
  EXPECT_EQ(rig.frames.released, 1U);

  for (const std::size_t bytes : {0U, 13U, 14U, 15U}) {
    cut.resize(bytes);
    rig.frames.arrive({.frame = cut, .truncated = true});
    EXPECT_EQ(rig.port.receive(rig.arrivals), 0U) << bytes;
  }
  EXPECT_EQ(rig.frames.released, 5U);
}

TEST(EthernetRawPort, KeepsApartTheArrivalsOfOneLook) {
  Scripted rig({server_mac, MacAddress{}, std::nullopt});
  for (unsigned i = 0; i < 20; ++i) {
    const MacAddress destination = i % 3 == 1 ? mac(9) : server_mac;
    rig.frames.arrive({.frame = RawFields{.link = {destination, mac(20 + i), {}}, .message = message_of(i)}.frame()});
  }
  ASSERT_EQ(rig.port.receive(rig.arrivals), 11U) << "16 frames, 5 of them foreign";
  EXPECT_EQ(rig.frames.released, 5U);
  ASSERT_EQ(rig.port.reply(rig.arrivals[10]), SendOutcome::sent);
  ASSERT_EQ(rig.port.reply(rig.arrivals[1]), SendOutcome::sent);
  EXPECT_EQ(rig.frames.replies,
            (std::vector<Frame>{RawFields{.link = {mac(35), server_mac, {}}, .message = message_of(15)}.frame(),
                                RawFields{.link = {mac(22), server_mac, {}}, .message = message_of(2)}.frame()}));
}

TEST(EthernetRawPort, PassesOnWhatTheDriverSays) {
  Scripted rig(client_plan());
  EXPECT_EQ(rig.port.counters().receive_overruns, 3U) << "the driver's own";
  const std::span<std::byte> message = rig.port.acquire(10);
  rig.frames.outcome = SendOutcome::would_block;
  EXPECT_EQ(rig.port.send(message), SendOutcome::would_block);
  rig.frames.outcome = SendOutcome::sent;
  EXPECT_EQ(rig.port.send(message), SendOutcome::sent) << "the same message again";
  EXPECT_EQ(rig.frames.sent.at(0).size(), 60U);
  rig.frames.frames_left = false;
  EXPECT_EQ(rig.port.acquire(10).data(), nullptr);
  EXPECT_EQ(rig.port.capabilities().receive_batch_max, 16U);
  EXPECT_FALSE(rig.port.capabilities().stream);
}

}  // namespace
}  // namespace rtecho::drivers

// The frames of this folder, byte by byte: what a client sends, and what a server makes of it.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "drivers/ethernet_raw_port.hpp"
#include "udp_rig.hpp"
#include "vector_file.hpp"

namespace rtecho::drivers {
namespace {

using test::Frame;
using RawRig = test::WireRig<EthernetRawPort<FramesOver<LoopbackLink<FakeClock, 64>::Port>>, EthernetRawPlan>;

const std::filesystem::path folder = std::filesystem::path(RTECHO_VECTORS) / "frames";

TEST(FrameVectors, AreAllThere) {
  EXPECT_EQ(rtecho::test::vector_names(folder).size(), 39U);
}

class EachFrameVector : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] const std::string& protocol() const { return vector_.fields.at("protocol"); }
  [[nodiscard]] std::optional<VlanTag> tag() const {
    if (vector_.fields.at("vlan_id") == "none") {
      return std::nullopt;
    }
    return VlanTag{static_cast<std::uint16_t>(vector_.number("vlan_id")),
                   static_cast<std::uint8_t>(vector_.number("vlan_priority"))};
  }
  // The message, which is all that a port is given.
  [[nodiscard]] Frame message() const {
    const std::size_t headers = (tag() ? 18 : 14) + (protocol() == "raw" ? 2U : 28U);
    const auto begin = vector_.request.begin() + static_cast<std::ptrdiff_t>(headers);
    return {begin, begin + static_cast<std::ptrdiff_t>(vector_.number("message_bytes"))};
  }
  rtecho::test::Vector vector_ = rtecho::test::read_vector(folder / (GetParam() + ".txt"));
};

TEST_P(EachFrameVector, IsWhatAClientSends) {
  if (protocol() == "raw") {
    RawRig rig({test::client_mac, test::server_mac, tag()});
    EXPECT_EQ(rig.sent(message()), vector_.request);
  } else if (protocol() == "udp") {
    test::UdpWireRig rig(test::udp_client_plan(tag()));
    EXPECT_EQ(rig.sent(message()), vector_.request);
  }
}

TEST_P(EachFrameVector, IsAnsweredByAServer) {
  if (protocol() == "raw") {
    RawRig rig({test::server_mac, test::client_mac, tag()});
    EXPECT_EQ(rig.answers_to(vector_.request), std::vector<Frame>{vector_.reply});
    EXPECT_EQ(rig.messages, std::vector<Frame>{message()});
    return;
  }
  EthernetUdpPlan plan = test::udp_server_plan(tag());
  plan.session.own_address = true;
  test::UdpWireRig rig(plan);
  EXPECT_EQ(rig.answers_to(vector_.request), std::vector<Frame>{vector_.reply});
  if (protocol() == "udp") {
    EXPECT_EQ(rig.messages, std::vector<Frame>{message()});
  } else {
    EXPECT_TRUE(rig.messages.empty());
    EXPECT_EQ(rig.port.counters().requests_answered, 1U);
  }
}

TEST_P(EachFrameVector, IsReadByAClient) {
  if (protocol() == "raw") {
    RawRig rig({test::client_mac, test::server_mac, tag()});
    (void)rig.answers_to(vector_.reply);
    EXPECT_EQ(rig.messages, std::vector<Frame>{message()});
    return;
  }
  EthernetUdpPlan plan = test::udp_client_plan(tag());
  plan.session.own_address = true;
  test::UdpWireRig rig(plan);
  const std::vector<Frame> answers = rig.answers_to(vector_.reply);
  if (protocol() == "udp") {
    EXPECT_EQ(rig.messages, std::vector<Frame>{message()});
  } else {
    EXPECT_TRUE(answers.empty()) << "an answer is not answered";
    EXPECT_EQ(rig.port.counters().foreign_frames, 1U);
  }
}

INSTANTIATE_TEST_SUITE_P(InThisFolder, EachFrameVector, testing::ValuesIn(rtecho::test::vector_names(folder)),
                         [](const auto& vector) { return vector.param; });

}  // namespace
}  // namespace rtecho::drivers

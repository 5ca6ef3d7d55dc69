#include "platform/nic_facts.hpp"

#include <gtest/gtest.h>

namespace rtecho::platform {
namespace {

TEST(NicFacts, KnowTheLoopbackInterface) {
  const auto facts = read_nic_facts("lo");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts.value().name, "lo");
  EXPECT_EQ(facts.value().mac, "00:00:00:00:00:00");
  EXPECT_GE(facts.value().mtu, 1500);
  EXPECT_FALSE(facts.value().speed_mbps);  // it has no link
  EXPECT_FALSE(facts.value().irq_cpus);
  EXPECT_TRUE(facts.value().offloads.tcp_segmentation);  // lo answers, whatever it says
}

TEST(NicFacts, AreNotFound) {
  EXPECT_EQ(read_nic_facts("rtecho-none").error().status, Status::not_found);
}

TEST(NicFacts, RefuseNamesThatNoInterfaceCanHave) {
  EXPECT_EQ(read_nic_facts("").error().status, Status::invalid);
  EXPECT_EQ(read_nic_facts("sixteen-letters-").error().status, Status::invalid);
}

TEST(InterfaceTowards, FindsTheLoopbackAddress) {
  EXPECT_EQ(interface_towards("127.0.0.1"), "lo");
}

TEST(InterfaceTowards, FindsNothingForAddressesOfOthers) {
  EXPECT_EQ(interface_towards("255.255.255.255"), std::nullopt);  // nobody can have these two
  EXPECT_EQ(interface_towards("::"), std::nullopt);
}

TEST(InterfaceTowards, FindsNothingForTextThatIsNoAddress) {
  EXPECT_EQ(interface_towards(""), std::nullopt);
  EXPECT_EQ(interface_towards("lo"), std::nullopt);
  EXPECT_EQ(interface_towards("127.0.0.1%lo"), std::nullopt);
}

}  // namespace
}  // namespace rtecho::platform

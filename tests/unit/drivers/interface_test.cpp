#include "drivers/interface.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "drivers/mac_text.hpp"
#include "veth_pair.hpp"

namespace rtecho::drivers {
namespace {

constexpr std::uint32_t loopback_address = 0x7F000001;

TEST(Interface, KnowsTheLoopbackInterface) {
  const Result<Interface> loopback = find_interface("lo");
  if (!loopback) {
    GTEST_SKIP() << "there is no interface named lo here";
  }
  EXPECT_EQ(loopback.value().name, "lo");
  EXPECT_GT(loopback.value().index, 0);
  EXPECT_TRUE(loopback.value().is_loopback);
  EXPECT_FALSE(loopback.value().is_ethernet);
  EXPECT_TRUE(loopback.value().mac.is_zero());
}

TEST(Interface, IsNotFound) {
  const Result<Interface> interface = find_interface("rtecho-none");
  ASSERT_FALSE(interface);
  EXPECT_EQ(interface.error().status, Status::not_found);
  EXPECT_TRUE(interface_addresses(0x7FFFFFFF).empty());
  EXPECT_TRUE(interface_addresses(0).empty());
  EXPECT_TRUE(interface_addresses(-1).empty());
}

TEST(Interface, RefusesWhatCanBeNoName) {
  for (const std::string& name : {std::string(), std::string("sixteencharacter"), std::string("lo\0x", 4)}) {
    const Result<Interface> interface = find_interface(name);
    ASSERT_FALSE(interface) << name;
    EXPECT_EQ(interface.error().status, Status::invalid) << name;
  }
  EXPECT_EQ(find_interface("fifteencharacte").error().status, Status::not_found);
}

class InterfaceOfAPair : public testing::Test {
 protected:
  void SetUp() override {
    if (!pair.why_not().empty()) {
      GTEST_SKIP() << pair.why_not();
    }
  }

  test::VethPair pair{{.near = {.name = "near", .mac = "02:00:00:00:00:0a", .ipv4 = "10.9.0.1/24"},
                       .far = {.name = "far", .mac = "02:00:00:00:00:0b", .ipv4 = "10.9.0.2/24"},
                       .mtu = 1'400}};
};

TEST_F(InterfaceOfAPair, SaysWhatItIs) {
  const Interface near = find_interface("near").value();
  EXPECT_EQ(mac_text(near.mac), "02:00:00:00:00:0a");
  EXPECT_EQ(near.mtu, 1'400U);
  EXPECT_TRUE(near.is_up);
  EXPECT_TRUE(near.has_carrier);
  EXPECT_TRUE(near.is_ethernet);
  EXPECT_FALSE(near.is_loopback);
}

TEST_F(InterfaceOfAPair, HasNoCarrierWhileTheOtherEndIsDown) {
  ASSERT_TRUE(pair.far_ip({"link", "set", "far", "down"}));
  EXPECT_TRUE(find_interface("near").value().is_up);
  EXPECT_FALSE(find_interface("near").value().has_carrier);
  ASSERT_TRUE(pair.near_ip({"link", "set", "near", "down"}));
  EXPECT_FALSE(find_interface("near").value().is_up);
}

TEST_F(InterfaceOfAPair, KeepsItsIndexUnderANewName) {
  const int index = find_interface("near").value().index;
  ASSERT_TRUE(pair.near_ip({"link", "set", "near", "name", "renamed"}));
  EXPECT_EQ(find_interface("renamed").value().index, index);
  EXPECT_FALSE(find_interface("near"));
  EXPECT_EQ(interface_addresses(index), std::vector<std::uint32_t>{0x0A090001});
}

TEST_F(InterfaceOfAPair, IsFoundByAnAlternativeNameAndSaysItsOwn) {
  ASSERT_TRUE(pair.near_ip({"link", "property", "add", "dev", "near", "altname", "other"}));
  EXPECT_EQ(find_interface("other").value().name, "near");
}

TEST_F(InterfaceOfAPair, IsListedBehindTheLoopbackInterface) {
  const std::vector<Interface> interfaces = list_interfaces();
  const auto near = std::ranges::find(interfaces, "near", &Interface::name);
  ASSERT_NE(near, interfaces.end());
  EXPECT_EQ(interfaces.front().name, "lo");
  EXPECT_EQ(std::ranges::find(interfaces, "far", &Interface::name), interfaces.end());
}

TEST_F(InterfaceOfAPair, ListsItsAddressesAlsoThoseWithALabel) {
  ASSERT_TRUE(pair.near_ip({"address", "add", "10.9.1.1/24", "dev", "near", "label", "near:1"}));
  const std::vector<std::uint32_t> expected{0x0A090001, 0x0A090101};
  EXPECT_EQ(interface_addresses(find_interface("near").value().index), expected);
}

TEST_F(InterfaceOfAPair, TellsAddressesOfTheKernelFromOthers) {
  EXPECT_TRUE(kernel_holds_address(0x0A090001).value());
  EXPECT_TRUE(kernel_holds_address(loopback_address).value());
  EXPECT_FALSE(kernel_holds_address(0x0A090002).value());
  ASSERT_TRUE(pair.near_ip({"link", "set", "near", "down"}));
  EXPECT_TRUE(kernel_holds_address(0x0A090001).value());
}

TEST_F(InterfaceOfAPair, KnowsOnlyNeighboursThatTheKernelWouldUse) {
  const int index = find_interface("near").value().index;
  EXPECT_FALSE(kernel_neighbour(index, 0x0A090002));
  ASSERT_TRUE(pair.near_ip({"neigh", "add", "10.9.0.3", "dev", "near", "lladdr", "02:00:00:00:00:0c"}));
  ASSERT_TRUE(pair.near_ip({"neigh", "add", "10.9.0.4", "dev", "near", "lladdr", "02:00:00:00:00:0d", "nud", "stale"}));
  ASSERT_TRUE(pair.near_ip({"neigh", "add", "10.9.0.5", "dev", "near", "nud", "incomplete"}));
  EXPECT_EQ(kernel_neighbour(index, 0x0A090003), parse_mac("02:00:00:00:00:0c"));
  EXPECT_EQ(kernel_neighbour(index, 0x0A090004), parse_mac("02:00:00:00:00:0d"));
  EXPECT_FALSE(kernel_neighbour(index, 0x0A090005));
  EXPECT_FALSE(kernel_neighbour(find_interface("lo").value().index, 0x0A090003));
  EXPECT_FALSE(kernel_neighbour(0x7FFFFFFF, 0x0A090003));
}

}  // namespace
}  // namespace rtecho::drivers

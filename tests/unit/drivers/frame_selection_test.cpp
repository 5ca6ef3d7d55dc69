#include "drivers/frame_selection.hpp"

#include <gtest/gtest.h>

namespace rtecho::drivers {
namespace {

TEST(FrameSelection, MeansUntaggedEchoFramesByDefault) {
  const FrameSelection selection;
  EXPECT_TRUE(selection.local.is_zero());
  EXPECT_FALSE(selection.vlan_id);
  EXPECT_FALSE(selection.udp);
}

TEST(UdpSelection, LeavesTheHostsDutiesToTheKernelByDefault) {
  EXPECT_FALSE(UdpSelection{}.own_address);
}

TEST(Ipv4Endpoint, IsAddressAndPort) {
  constexpr Ipv4Endpoint endpoint{0x0A00'0001, 7'008};
  static_assert(endpoint == Ipv4Endpoint{0x0A00'0001, 7'008});
  static_assert(endpoint != Ipv4Endpoint{0x0A00'0001, 7'009});
  static_assert(endpoint != Ipv4Endpoint{0x0A00'0002, 7'008});
}

}  // namespace
}  // namespace rtecho::drivers

#include "platform/latency_hold.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace rtecho::platform {
namespace {

TEST(LatencyHold, IsHeldOrSaysWhyNot) {
  std::vector<std::string> degraded;
  const LatencyHold hold = LatencyHold::acquire(degraded);
  EXPECT_EQ(hold.held(), degraded.empty());
}

TEST(LatencyHold, IsHeldWhereTheDeviceCanBeWritten) {
  if (access("/dev/cpu_dma_latency", R_OK | W_OK) != 0) {
    GTEST_SKIP() << "/dev/cpu_dma_latency is not there or needs root";
  }
  std::vector<std::string> degraded;
  const LatencyHold hold = LatencyHold::acquire(degraded);
  EXPECT_TRUE(hold.held()) << degraded.front();
}

TEST(LatencyHold, NamesTheDeviceWhenItCannotBeOpened) {
  if (access("/dev/cpu_dma_latency", R_OK | W_OK) == 0) {
    GTEST_SKIP() << "the device can be opened";
  }
  std::vector<std::string> degraded;
  EXPECT_FALSE(LatencyHold::acquire(degraded).held());
  ASSERT_EQ(degraded.size(), 1U);
  EXPECT_NE(degraded[0].find("/dev/cpu_dma_latency cannot be opened (E"), std::string::npos) << degraded[0];
}

}  // namespace
}  // namespace rtecho::platform

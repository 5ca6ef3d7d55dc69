#include "rt_core/limits.hpp"

#include <gtest/gtest.h>

namespace rtecho {
namespace {

// What users and the wire are promised (docs/measurement.md); the relations are asserted in the header itself.
TEST(Limits, AreThePublishedOnes) {
  EXPECT_EQ(limits::outstanding_ring, 65'536U);
  EXPECT_EQ(limits::window_max, 32'768U);
  EXPECT_EQ(limits::message_bytes_max_udp_ipv4, 65'507U);
  EXPECT_EQ(limits::message_bytes_max_tcp, 65'535U);
  EXPECT_EQ(limits::histogram_highest_ns, 100'000'000'000);
  EXPECT_EQ(limits::control_line_bytes, 8'192U);
  EXPECT_EQ(limits::control_connections, 4U);
  EXPECT_EQ(limits::control_depth, 8U);
}

TEST(Limits, AnOversizeMessageStillFitsTheBuffer) {
  EXPECT_EQ(limits::message_buffer_bytes, 65'536U);
}

}  // namespace
}  // namespace rtecho

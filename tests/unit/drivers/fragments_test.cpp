#include "drivers/fragments.hpp"

#include <gtest/gtest.h>

namespace rtecho::drivers {
namespace {

TEST(FragmentsOf, IsOneUpToTheMtu) {
  EXPECT_EQ(fragments_of(0, 1'500, IpVersion::ipv4), 1U);
  EXPECT_EQ(fragments_of(1'472, 1'500, IpVersion::ipv4), 1U);
  EXPECT_EQ(fragments_of(1'452, 1'500, IpVersion::ipv6), 1U);
  EXPECT_EQ(fragments_of(8'972, 9'000, IpVersion::ipv4), 1U);
  EXPECT_EQ(fragments_of(65'507, 65'536, IpVersion::ipv4), 1U);
}

TEST(FragmentsOf, IsTwoOneByteAboveTheMtu) {
  EXPECT_EQ(fragments_of(1'473, 1'500, IpVersion::ipv4), 2U);
  EXPECT_EQ(fragments_of(1'453, 1'500, IpVersion::ipv6), 2U);
  EXPECT_EQ(fragments_of(8'973, 9'000, IpVersion::ipv4), 2U);
}

// 1480 bytes each and the UDP header in the first: 2 x 1480 - 8 = 2952.
TEST(FragmentsOf, CountsWholeFragments) {
  EXPECT_EQ(fragments_of(2'952, 1'500, IpVersion::ipv4), 2U);
  EXPECT_EQ(fragments_of(2'953, 1'500, IpVersion::ipv4), 3U);
  EXPECT_EQ(fragments_of(8'192, 1'500, IpVersion::ipv4), 6U);
  EXPECT_EQ(fragments_of(40'960, 1'500, IpVersion::ipv4), 28U);
  EXPECT_EQ(fragments_of(65'507, 1'500, IpVersion::ipv4), 45U);
}

// All but the last carry 1448 bytes, a multiple of eight; the last up to 1452: 1448 + 1452 - 8 = 2892.
TEST(FragmentsOf, RoundsAllButTheLastDownToEightBytes) {
  EXPECT_EQ(fragments_of(2'892, 1'500, IpVersion::ipv6), 2U);
  EXPECT_EQ(fragments_of(2'893, 1'500, IpVersion::ipv6), 3U);
}

TEST(FragmentsOf, StandsTheSmallestMtu) {
  EXPECT_EQ(fragments_of(40, 68, IpVersion::ipv4), 1U);
  EXPECT_EQ(fragments_of(41, 68, IpVersion::ipv4), 2U);
  EXPECT_EQ(fragments_of(1'232, 1'280, IpVersion::ipv6), 1U);
  EXPECT_EQ(fragments_of(1'233, 1'280, IpVersion::ipv6), 2U);
}

}  // namespace
}  // namespace rtecho::drivers

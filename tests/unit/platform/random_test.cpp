#include "platform/random.hpp"

#include <gtest/gtest.h>

#include <set>

namespace rtecho::platform {
namespace {

TEST(Random, DoesNotRepeatItself) {
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    seen.insert(random_u64());
  }
  EXPECT_EQ(seen.size(), 1000U);  // one repetition in 10^13 runs
}

TEST(Random, UsesAllBits) {
  std::uint64_t ever_set = 0;
  std::uint64_t always_set = ~std::uint64_t{0};
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t number = random_u64();
    ever_set |= number;
    always_set &= number;
  }
  EXPECT_EQ(ever_set, 0xffff'ffff'ffff'ffffU);
  EXPECT_EQ(always_set, 0U);
}

}  // namespace
}  // namespace rtecho::platform

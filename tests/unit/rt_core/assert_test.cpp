#include "rt_core/assert.hpp"

#include <gtest/gtest.h>

namespace rtecho {
namespace {

TEST(Assert, TrapsOnlyWhereTheConditionIsFalse) {
  RTECHO_ASSERT(1 + 1 == 2);
  EXPECT_DEATH_IF_SUPPORTED(RTECHO_ASSERT(1 + 1 == 3), "");
}

TEST(Assert, EvaluatesItsConditionOnceInEveryBuild) {
  int calls = 0;
  RTECHO_ASSERT(++calls > 0);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace rtecho

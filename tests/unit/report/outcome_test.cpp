#include "report/outcome.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace rtecho::report {

TEST(Outcome, HoldsAValueThatCanOnlyBeMoved) {
  Outcome<std::unique_ptr<int>> outcome = std::make_unique<int>(7);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(*std::move(outcome).value(), 7);
}

TEST(Outcome, HoldsASentenceInstead) {
  const Outcome<int> outcome = Failure{FailureKind::system, "cannot open x: no"};
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.failure().kind, FailureKind::system);
  EXPECT_EQ(outcome.failure().sentence, "cannot open x: no");
}

TEST(OutcomeDeathTest, TrapsWhereTheCallerDidNotAsk) {
  const Outcome<int> outcome = Failure{FailureKind::content, "no"};
  EXPECT_DEATH(static_cast<void>(outcome.value()), "");
}

}  // namespace rtecho::report

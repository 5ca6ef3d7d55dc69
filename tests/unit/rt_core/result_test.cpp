#include "rt_core/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace rtecho {
namespace {

Result<std::unique_ptr<int>> make(bool works) {
  if (!works) {
    return Error{Status::denied, 13, "opening the port"};
  }
  return std::make_unique<int>(42);
}

TEST(Result, HoldsAValue) {
  const Result<int> result(7);
  EXPECT_TRUE(result.has_value());
  EXPECT_TRUE(result);
  EXPECT_EQ(result.value(), 7);
  EXPECT_DEATH_IF_SUPPORTED((void)result.error(), "");
}

TEST(Result, HoldsAnErrorWithItsContext) {
  const auto result = make(false);
  EXPECT_FALSE(result);
  EXPECT_EQ(result.error().status, Status::denied);
  EXPECT_EQ(result.error().os_code, 13);
  EXPECT_STREQ(result.error().context, "opening the port");
  EXPECT_DEATH_IF_SUPPORTED((void)result.value(), "");
}

TEST(Result, GivesAMoveOnlyValueAway) {
  const std::unique_ptr<int> owner = make(true).value();
  EXPECT_EQ(*owner, 42);
}

TEST(Result, LetsItsValueBeChanged) {
  Result<std::string> result(std::string("a"));
  result.value() += "b";
  EXPECT_EQ(result.value(), "ab");
}

TEST(Result, OfVoidIsSuccessUnlessAnErrorIsGiven) {
  const Result<void> success;
  EXPECT_TRUE(success.has_value());
  EXPECT_DEATH_IF_SUPPORTED((void)success.error(), "");
  const Result<void> failure(Error{.status = Status::in_use});
  EXPECT_FALSE(failure);
  EXPECT_EQ(failure.error().status, Status::in_use);
  EXPECT_EQ(failure.error().os_code, 0);
  EXPECT_STREQ(failure.error().context, "");
}

}  // namespace
}  // namespace rtecho

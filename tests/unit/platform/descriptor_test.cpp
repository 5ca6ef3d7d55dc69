#include "platform/descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace rtecho::platform {
namespace {

bool system_has(int number) {
  return fcntl(number, F_GETFD) >= 0;
}

TEST(Descriptor, ClosesWhatItOwns) {
  int number = -1;
  {
    const Descriptor file(open("/dev/null", O_RDONLY | O_CLOEXEC));
    ASSERT_TRUE(file.is_open());
    number = file.number();
    EXPECT_TRUE(system_has(number));
  }
  EXPECT_FALSE(system_has(number));
}

TEST(Descriptor, MovesWithoutClosing) {
  Descriptor first(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int number = first.number();
  Descriptor second(std::move(first));
  EXPECT_FALSE(first.is_open());  // NOLINT(bugprone-use-after-move,clang-analyzer-cplusplus.Move): the claim itself
  EXPECT_EQ(second.number(), number);
  EXPECT_TRUE(system_has(number));
}

TEST(Descriptor, ClosesTheOldOneWhenAssigned) {
  Descriptor target(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int former = target.number();
  Descriptor other(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int kept = other.number();
  target = std::move(other);
  EXPECT_FALSE(system_has(former));
  EXPECT_EQ(target.number(), kept);
}

TEST(Descriptor, OwnsNothingWhenTheCallFailed) {
  EXPECT_FALSE(Descriptor(-1).is_open());
}

}  // namespace
}  // namespace rtecho::platform

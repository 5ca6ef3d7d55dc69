#include "rtecho_host/link.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "rtecho_host/exit_codes.hpp"

namespace rtecho::host {
namespace {

// tests/integration/link_test.sh has the whole life of a link; here is what a command line cannot ask for.
class LinkTest : public testing::Test {
 protected:
  LinkTest() {
    // Names of this process, so that a link of the user is left alone.
    const std::string name = "rl" + std::to_string(::getpid());
    options_.a.network_namespace = options_.a.interface = name + "a";
    options_.b.network_namespace = options_.b.interface = name + "b";
  }
  void SetUp() override {
    try {
      ASSERT_EQ(look_at_link(options_).state, LinkState::down);
    } catch (const ProgramFailure& failure) {
      GTEST_SKIP() << failure.what();
    }
  }
  void TearDown() override {
    if (!IsSkipped()) {
      take_link_down(options_);
    }
  }

  ExitCode exit_code_of_up(const platform::StopFlag& stop) const {
    try {
      bring_link_up(options_, stop);
      return ExitCode::clean;
    } catch (const ProgramFailure& failure) {
      return failure.exit_code();
    }
  }

  LinkOptions options_;
};

TEST_F(LinkTest, StepThatFailsUndoesTheEarlierOnes) {
  const auto stop = platform::StopFlag::install();
  ASSERT_TRUE(stop);
  options_.b.address = "10.77.0.256/24";  // the very last end to be configured
  EXPECT_EQ(exit_code_of_up(stop.value()), ExitCode::machine_refused);
  EXPECT_EQ(look_at_link(options_).state, LinkState::down);
}

TEST_F(LinkTest, RequestToStopUndoesTheEarlierSteps) {
  auto stop = platform::StopFlag::install();
  ASSERT_TRUE(stop);
  stop.value().request();
  EXPECT_EQ(exit_code_of_up(stop.value()), ExitCode::interrupted);
  EXPECT_EQ(look_at_link(options_).state, LinkState::down);
}

TEST_F(LinkTest, LeavesTheCallerInItsOwnNamespace) {
  const auto stop = platform::StopFlag::install();
  ASSERT_TRUE(stop);
  const auto before = std::filesystem::read_symlink("/proc/self/ns/net");
  EXPECT_TRUE(bring_link_up(options_, stop.value()));
  EXPECT_EQ(std::filesystem::read_symlink("/proc/self/ns/net"), before);
  EXPECT_EQ(look_at_link(options_).state, LinkState::up);
  EXPECT_TRUE(look_at_link(options_).remarks.empty());
}

}  // namespace
}  // namespace rtecho::host

#include "platform/network_namespace.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "child_process.hpp"

namespace rtecho::platform {
namespace {

class NetworkNamespace : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the thread sanitizer has a thread of its own";
#endif
  }
};

TEST_F(NetworkNamespace, IsNotFound) {
  const auto entered = enter_network_namespace("rtecho-no-such-namespace");
  ASSERT_FALSE(entered);
  EXPECT_EQ(entered.error().status, Status::not_found);
}

TEST_F(NetworkNamespace, RefusesNamesThatArePaths) {
  for (const char* const name : {"", ".", "..", "../netns/a", "a/b"}) {
    EXPECT_EQ(enter_network_namespace(name).error().status, Status::invalid) << name;
  }
}

TEST_F(NetworkNamespace, IsEnteredInTheWholeProcess) {
  if (geteuid() != 0 || system("ip netns add rtecho-unit-entered 2>/dev/null") != 0) {
    GTEST_SKIP() << "cannot make a network namespace here (needs root and iproute2)";
  }
  const ChildOutcome outcome = run_in_child([] {
    const auto own = std::filesystem::read_symlink("/proc/self/ns/net");
    if (!enter_network_namespace("rtecho-unit-entered")) {
      return std::string("refused");
    }
    return std::string(std::filesystem::read_symlink("/proc/self/ns/net") == own ? "same" : "entered");
  });
  EXPECT_EQ(outcome.text, "entered");
  EXPECT_EQ(system("ip netns delete rtecho-unit-entered"), 0);
}

TEST_F(NetworkNamespace, IsDeniedWithoutPrivilege) {
  if (geteuid() != 0 || system("ip netns add rtecho-unit-denied 2>/dev/null") != 0) {
    GTEST_SKIP() << "cannot make a network namespace here (needs root and iproute2)";
  }
  const ChildOutcome outcome = run_in_child([] {
    if (setresuid(65534, 65534, 65534) != 0) {
      return std::string("cannot give up root");
    }
    const auto entered = enter_network_namespace("rtecho-unit-denied");
    return std::string(!entered && entered.error().status == Status::denied ? "denied" : "something else");
  });
  EXPECT_EQ(outcome.text, "denied");
  EXPECT_EQ(system("ip netns delete rtecho-unit-denied"), 0);
}

TEST_F(NetworkNamespace, IsUnexpectedWhenTheFileIsSomethingElse) {
  const std::string path = "/run/netns/rtecho-unit-file";
  std::error_code ignored;
  std::filesystem::create_directories("/run/netns", ignored);
  if (!std::ofstream(path)) {
    GTEST_SKIP() << "cannot write to /run/netns (needs root)";
  }
  const auto entered = enter_network_namespace("rtecho-unit-file");
  std::filesystem::remove(path);
  ASSERT_FALSE(entered);
  EXPECT_EQ(entered.error().status, Status::unexpected);
}

TEST_F(NetworkNamespace, IsABugWhileASecondThreadExists) {
  const ChildOutcome outcome = run_in_child([] {
    std::thread second([] { pause(); });
    static_cast<void>(enter_network_namespace("rtecho-no-such-namespace"));
    second.detach();
    return std::string("went on");
  });
  EXPECT_NE(outcome.text, "went on");
  EXPECT_FALSE(outcome.exited_cleanly);
}

}  // namespace
}  // namespace rtecho::platform

#include "platform/stop_flag.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "child_process.hpp"

namespace rtecho::platform {
namespace {

bool is_readable(int descriptor) {
  pollfd entry{.fd = descriptor, .events = POLLIN, .revents = 0};
  return poll(&entry, 1, 0) == 1;
}

TEST(StopFlag, IsNotSetAtFirst) {
  auto flag = StopFlag::install();
  ASSERT_TRUE(flag);
  EXPECT_FALSE(flag.value().requested());
  EXPECT_EQ(flag.value().signal_number(), 0);
  EXPECT_FALSE(is_readable(flag.value().wake_descriptor()));
}

TEST(StopFlag, IsSetByEachOfItsSignals) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    auto flag = StopFlag::install();
    ASSERT_TRUE(flag);
    ASSERT_EQ(raise(number), 0);
    EXPECT_TRUE(flag.value().requested());
    EXPECT_EQ(flag.value().signal_number(), number);
    EXPECT_TRUE(is_readable(flag.value().wake_descriptor()));
  }
}

TEST(StopFlag, RemembersTheFirstSignal) {
  auto flag = StopFlag::install();
  ASSERT_TRUE(flag);
  raise(SIGTERM);
  raise(SIGINT);
  EXPECT_EQ(flag.value().signal_number(), SIGTERM);
}

TEST(StopFlag, IsSetByTheProgram) {
  auto flag = StopFlag::install();
  ASSERT_TRUE(flag);
  flag.value().request();
  EXPECT_TRUE(flag.value().requested());
  EXPECT_EQ(flag.value().signal_number(), 0);
  EXPECT_TRUE(is_readable(flag.value().wake_descriptor()));
}

TEST(StopFlag, TurnsABrokenPipeIntoAnError) {
  auto flag = StopFlag::install();
  ASSERT_TRUE(flag);
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  close(ends[0]);
  EXPECT_EQ(write(ends[1], "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
  close(ends[1]);
}

TEST(StopFlag, PutsTheFormerHandlersBack) {
  struct sigaction action {};
  {
    auto flag = StopFlag::install();
    ASSERT_TRUE(flag);
    sigaction(SIGTERM, nullptr, &action);
    EXPECT_NE(action.sa_handler, SIG_DFL);
  }
  sigaction(SIGTERM, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
  sigaction(SIGPIPE, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
}

TEST(StopFlag, LeavesAnIgnoredHangupIgnored) {
  signal(SIGHUP, SIG_IGN);
  {
    auto flag = StopFlag::install();
    ASSERT_TRUE(flag);
    raise(SIGHUP);
    EXPECT_FALSE(flag.value().requested());
  }
  signal(SIGHUP, SIG_DFL);
}

TEST(StopFlag, CanBeInstalledOnceAtATime) {
  const ChildOutcome outcome = run_in_child([] {
    auto first = StopFlag::install();
    auto second = StopFlag::install();
    return std::string("two flags");
  });
  EXPECT_NE(outcome.text, "two flags");
  EXPECT_FALSE(outcome.exited_cleanly);
}

}  // namespace
}  // namespace rtecho::platform

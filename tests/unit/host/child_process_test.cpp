#include "rtecho_host/child_process.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "rtecho_host/exit_codes.hpp"

namespace rtecho::host {
namespace {

using namespace std::chrono_literals;

Command shell(const std::string& script) {
  return {.program = "/bin/sh", .arguments = {"-c", script}};
}

// A process that was killed has no program any more, also where nobody has reaped it yet.
bool is_running(pid_t process) {
  std::error_code error;
  return !std::filesystem::read_symlink("/proc/" + std::to_string(process) + "/exe", error).empty();
}

// Death takes a moment on a loaded machine, and of somebody else's child nobody tells us.
bool ends_soon(pid_t process) {
  for (int attempt = 0; attempt < 1'000 && is_running(process); ++attempt) {
    ::usleep(10'000);
  }
  return !is_running(process);
}

TEST(ChildProcess, KeepsWhatTheChildWrites) {
  ChildProcess child(shell("echo out; for line in 1 2 3 4 5 6; do echo $line >&2; done; exit 3"));
  ASSERT_TRUE(child.has_ended(10s));
  EXPECT_EQ(child.exit_code(), 3);
  EXPECT_EQ(child.output(), "out\n");
  EXPECT_EQ(child.last_words(), (std::vector<std::string>{"2", "3", "4", "5", "6"}));
}

TEST(ChildProcess, SaysWhichProgramCannotBeStarted) {
  try {
    ChildProcess child({.program = "/nonexistent/program", .arguments = {}});
    FAIL();
  } catch (const ProgramFailure& failure) {
    EXPECT_EQ(failure.exit_code(), ExitCode::machine_refused);
    EXPECT_NE(std::string(failure.what()).find("/nonexistent/program"), std::string::npos);
  }
}

TEST(ChildProcess, HasEndedWaitsNoLongerThanItsPatience) {
  ChildProcess child(shell("sleep 60"));
  EXPECT_FALSE(child.has_ended(0ms));
  EXPECT_FALSE(child.has_ended(1ms));
}

TEST(ChildProcess, StopAsksFirst) {
  ChildProcess child(shell("trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done"));
  while (child.output().empty()) {
    ASSERT_FALSE(child.has_ended(1ms));
  }
  EXPECT_TRUE(child.stop(SIGTERM, 10s));
  EXPECT_EQ(child.exit_code(), 7);
  EXPECT_TRUE(child.stop(SIGTERM, 10s)) << "a second time";
}

TEST(ChildProcess, StopKillsWhoDoesNotListen) {
  ChildProcess child(shell("trap '' TERM; echo ready; while :; do sleep 0.01; done"));
  while (child.output().empty()) {
    ASSERT_FALSE(child.has_ended(1ms));
  }
  EXPECT_FALSE(child.stop(SIGTERM, 20ms));
  EXPECT_EQ(child.exit_code(), 128 + SIGKILL);
}

TEST(ChildProcess, TakesTheWholeGroupWithIt) {
  pid_t grandchild = 0;
  {
    ChildProcess child(shell("sleep 60 & echo $!; wait"));
    while (child.output().find('\n') == std::string::npos) {
      ASSERT_FALSE(child.has_ended(1ms));
    }
    grandchild = std::stoi(child.output());
    EXPECT_TRUE(is_running(grandchild));
  }
  EXPECT_TRUE(ends_soon(grandchild));
}

TEST(ChildProcess, WakesForADescriptor) {
  ChildProcess child(shell("sleep 60"));
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  EXPECT_FALSE(child.has_ended(60s, ends[0]));
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace rtecho::host

#include "platform/terminal.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace rtecho::platform {
namespace {

TEST(Terminal, ADeviceThatIsNoTerminalIsNone) {
  const int kept = dup(STDERR_FILENO);
  const int null = open("/dev/null", O_WRONLY);
  ASSERT_GE(kept, 0);
  ASSERT_GE(null, 0);
  dup2(null, STDERR_FILENO);
  const bool terminal = standard_error_is_terminal();
  dup2(kept, STDERR_FILENO);
  close(kept);
  close(null);
  EXPECT_FALSE(terminal);
}

TEST(Terminal, APseudoTerminalIsOne) {
  const int kept = dup(STDERR_FILENO);
  const int controller = posix_openpt(O_RDWR | O_NOCTTY);
  if (controller < 0 || grantpt(controller) != 0 || unlockpt(controller) != 0) {
    GTEST_SKIP() << "this machine gives no pseudo terminal";
  }
  const int terminal_end = open(ptsname(controller), O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal_end, 0);
  dup2(terminal_end, STDERR_FILENO);
  const bool terminal = standard_error_is_terminal();
  dup2(kept, STDERR_FILENO);
  close(kept);
  close(terminal_end);
  close(controller);
  EXPECT_TRUE(terminal);
}

}  // namespace
}  // namespace rtecho::platform

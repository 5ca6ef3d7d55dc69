#include "report/exit_code.hpp"

#include <gtest/gtest.h>

namespace rtecho::report {

TEST(ExitCode, HasTheNumbersThatScriptsRelyOn) {
  EXPECT_EQ(static_cast<int>(ExitCode::clean), 0);
  EXPECT_EQ(static_cast<int>(ExitCode::verdict_negative), 1);
  EXPECT_EQ(static_cast<int>(ExitCode::usage), 2);
  EXPECT_EQ(static_cast<int>(ExitCode::machine_refused), 3);
  EXPECT_EQ(static_cast<int>(ExitCode::not_reliable), 4);
  EXPECT_EQ(static_cast<int>(ExitCode::peer_absent), 5);
  EXPECT_EQ(static_cast<int>(ExitCode::interrupted), 130);
}

}  // namespace rtecho::report

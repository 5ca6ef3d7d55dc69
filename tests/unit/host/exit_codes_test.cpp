#include "rtecho_host/exit_codes.hpp"

#include <gtest/gtest.h>

namespace rtecho::host {
namespace {

TEST(ExitCode, GraverFollowsTheTable) {
  EXPECT_EQ(graver(ExitCode::clean, ExitCode::not_reliable), ExitCode::not_reliable);
  EXPECT_EQ(graver(ExitCode::not_reliable, ExitCode::verdict_negative), ExitCode::verdict_negative);
  EXPECT_EQ(graver(ExitCode::verdict_negative, ExitCode::interrupted), ExitCode::interrupted);
  EXPECT_EQ(graver(ExitCode::interrupted, ExitCode::peer_absent), ExitCode::peer_absent);
  EXPECT_EQ(graver(ExitCode::peer_absent, ExitCode::machine_refused), ExitCode::machine_refused);
  EXPECT_EQ(graver(ExitCode::machine_refused, ExitCode::usage), ExitCode::usage);
  EXPECT_EQ(graver(ExitCode::clean, ExitCode::clean), ExitCode::clean);
}

TEST(ExitCode, OfAChildOutsideTheTableIsALostPeer) {
  EXPECT_EQ(exit_code_of_child(0), ExitCode::clean);
  EXPECT_EQ(exit_code_of_child(4), ExitCode::not_reliable);
  EXPECT_EQ(exit_code_of_child(130), ExitCode::interrupted);
  EXPECT_EQ(exit_code_of_child(6), ExitCode::peer_absent);
  EXPECT_EQ(exit_code_of_child(139), ExitCode::peer_absent);
}

}  // namespace
}  // namespace rtecho::host

#include "report/program_failure.hpp"

#include <gtest/gtest.h>

namespace rtecho::report {
namespace {

TEST(ProgramFailure, CarriesItsSentenceAndItsExitCode) {
  try {
    throw ProgramFailure(ExitCode::peer_absent, "nobody is there");
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "nobody is there");
    EXPECT_EQ(dynamic_cast<const ProgramFailure&>(error).exit_code(), ExitCode::peer_absent);
  }
}

}  // namespace
}  // namespace rtecho::report

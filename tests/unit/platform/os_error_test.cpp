#include "platform/os_error.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace rtecho::platform {
namespace {

TEST(OsError, KeepsTheCodeAndTheContext) {
  const Error error = os_error(EACCES, "open the file");
  EXPECT_EQ(error.os_code, EACCES);
  EXPECT_STREQ(error.context, "open the file");
}

TEST(OsError, TellsTheKindsApart) {
  EXPECT_EQ(os_error(EPERM, "").status, Status::denied);
  EXPECT_EQ(os_error(EACCES, "").status, Status::denied);
  EXPECT_EQ(os_error(ENOENT, "").status, Status::not_found);
  EXPECT_EQ(os_error(ENODEV, "").status, Status::not_found);
  EXPECT_EQ(os_error(EADDRINUSE, "").status, Status::in_use);
  EXPECT_EQ(os_error(ENOMEM, "").status, Status::exhausted);
  EXPECT_EQ(os_error(EINVAL, "").status, Status::invalid);
  EXPECT_EQ(os_error(EOPNOTSUPP, "").status, Status::unsupported);
  EXPECT_EQ(os_error(ECONNREFUSED, "").status, Status::refused);
  EXPECT_EQ(os_error(ECONNRESET, "").status, Status::closed);
  EXPECT_EQ(os_error(ETIMEDOUT, "").status, Status::timed_out);
  EXPECT_EQ(os_error(EIO, "").status, Status::failed);
}

TEST(OsErrorText, NamesTheCodeAndSaysWhatItMeans) {
  EXPECT_EQ(os_error_text(EPERM), "EPERM: Operation not permitted");
  EXPECT_EQ(os_error_text(99'999), "error 99999");
}

}  // namespace
}  // namespace rtecho::platform

#include "base64.hpp"

#include <gtest/gtest.h>

namespace rtecho::report {
namespace {

std::vector<std::uint8_t> bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

}  // namespace

TEST(Base64, GivesTheVectorsOfRfc4648) {
  EXPECT_EQ(base64_encode(bytes_of("")), "");
  EXPECT_EQ(base64_encode(bytes_of("f")), "Zg==");
  EXPECT_EQ(base64_encode(bytes_of("fo")), "Zm8=");
  EXPECT_EQ(base64_encode(bytes_of("foo")), "Zm9v");
  EXPECT_EQ(base64_encode(bytes_of("foobar")), "Zm9vYmFy");
  EXPECT_EQ(base64_encode(std::vector<std::uint8_t>{0xFB, 0xFF, 0xBF}), "+/+/");
}

TEST(Base64, ReadsItsOwnText) {
  for (const char* text : {"", "f", "fo", "foo", "foob", "fooba", "foobar"}) {
    EXPECT_EQ(base64_decode(base64_encode(bytes_of(text))), bytes_of(text));
  }
}

TEST(Base64, RefusesAnythingButTheCanonicalForm) {
  for (const char* text :
       {"Z", "Zg", "Zg=", "Zg===", "====", "=", "Zh==", "Zm9=", "Zm 8", "Zm8\n", "Zm-_", "Z=g=", "Zg==Zg=="}) {
    EXPECT_FALSE(base64_decode(text)) << text;
  }
}

}  // namespace rtecho::report

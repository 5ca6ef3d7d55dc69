#include "control_line.hpp"

#include <gtest/gtest.h>

#include <string>

namespace rtecho::pair {
namespace {

TEST(ParseControlLine, ReadsAnObjectThatHasAType) {
  const auto message = parse_control_line(R"({"type":"hello","version":1})");
  ASSERT_TRUE(message);
  EXPECT_EQ(message->at("version"), 1);
}

TEST(ParseControlLine, RefusesEverythingElse) {
  for (const char* line : {"", "null", "1", "[]", R"("type")", "{}", R"({"type":1})", R"({"type":"hello")",
                           "{\"type\":\"\xFF\"}", R"({"type":"a"} x)"}) {
    EXPECT_FALSE(parse_control_line(line)) << line;
  }
}

std::string nested(int depth) {
  return R"({"type":"a","x":)" + std::string(static_cast<std::size_t>(depth - 1), '[') +
         std::string(static_cast<std::size_t>(depth - 1), ']') + "}";
}

TEST(ParseControlLine, TakesEightLevelsAndNotNine) {
  EXPECT_TRUE(parse_control_line(nested(8)));
  EXPECT_FALSE(parse_control_line(nested(9)));
}

TEST(ParseControlLine, DoesNotCountBracketsInStrings) {
  EXPECT_TRUE(parse_control_line(R"({"type":"[[[[[[[[[[[[","x":"\"[[[[[[[[[["})"));
}

TEST(ControlLine, EndsWithTheOnlyNewlineItHas) {
  const std::string line = control_line({{"type", "a"}, {"text", "two\nlines"}});
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(parse_control_line(line.substr(0, line.size() - 1))->at("text"), "two\nlines");
}

TEST(ControlLine, ReplacesBytesThatAreNoText) {
  EXPECT_TRUE(parse_control_line(control_line({{"type", "a"}, {"text", "caf\xE9"}})));
}

}  // namespace
}  // namespace rtecho::pair

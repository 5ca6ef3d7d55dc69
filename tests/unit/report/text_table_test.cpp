#include "text_table.hpp"

#include <gtest/gtest.h>

namespace rtecho::report {
namespace {

TextTable two_columns() {
  return TextTable({{"name", TextTable::Alignment::left}, {"max µs"}});
}

}  // namespace

TEST(TextTable, AlignsByCharactersNotBytes) {
  TextTable table = two_columns();
  table.add_row({"udp", "48.1"});
  table.add_gap();
  table.add_row({"a longer one", "10000.0"});
  EXPECT_EQ(table.text(TableStyle::plain),
            "name           max µs\n"
            "udp              48.1\n"
            "\n"
            "a longer one  10000.0\n");
}

TEST(TextTable, WritesMarkdownWithoutGapsAndWithEscapedBars) {
  TextTable table = two_columns();
  table.add_gap();
  table.add_row({"a|b", "1"});
  EXPECT_EQ(table.text(TableStyle::markdown),
            "| name | max µs |\n"
            "| :--- |   ---: |\n"
            "| a\\|b |      1 |\n");
}

TEST(TextTable, WithoutRowsHasItsHeading) {
  EXPECT_EQ(two_columns().text(TableStyle::plain), "name  max µs\n");
}

TEST(Printable, KeepsAFileFromSteeringTheTerminal) {
  EXPECT_EQ(printable("a\x1B[2Jb\n\x7Fµ"), "a?[2Jb??µ");
}

TEST(Microseconds, RoundsAndShowsWhatIsMissing) {
  EXPECT_EQ(microseconds(48'149, 1), "48.1");
  EXPECT_EQ(microseconds(999, 2), "1.00");
  EXPECT_EQ(microseconds(std::nullopt, 1), "-");
}

}  // namespace rtecho::report

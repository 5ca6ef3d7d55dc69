#include <gtest/gtest.h>

#include "report/verdict.hpp"

namespace rtecho::report {
namespace {

std::vector<Verdict> three_verdicts() {
  return {{VerdictKind::pass,
           "rt.json",
           "udp 64 B, socket/socket",
           "[[bound]] at line 5",
           "max_us",
           60,
           48.1,
           10'000,
           8'123,
           {"P(exceed) < 3.0e-04 (3/n)"}},
          {VerdictKind::fail, "rt.json", "udp 64 B, socket/socket", "[defaults]", "lost", 0, 2.0, 10'000, {}, {}},
          {VerdictKind::inconclusive,
           "all run files",
           "none",
           "[[bound]] at line 9",
           "matches",
           0,
           {},
           0,
           {},
           {"no series matches this rule, so it checked nothing"}}};
}

}  // namespace

TEST(VerdictText, NamesLimitAndMeasurement) {
  const std::vector<Verdict> verdicts = three_verdicts();
  EXPECT_EQ(limit_text(verdicts[0]), "max_us <= 60");
  EXPECT_EQ(measured_text(verdicts[0]), "48.1 (n = 10000, worst at message #8123)");
  EXPECT_EQ(measured_text(verdicts[1]), "2 (n = 10000)");
  EXPECT_EQ(limit_text(verdicts[2]), "[[bound]] at line 9");
  EXPECT_EQ(measured_text(verdicts[2]), "not measured");
}

TEST(VerdictText, ShowsABreachByOneNanosecond) {
  Verdict verdict = three_verdicts()[0];
  verdict.measured = 60.001;
  EXPECT_EQ(measured_text(verdict), "60.001 (n = 10000, worst at message #8123)");
}

TEST(VerdictText, IsAnAlignedTableWithAClosingLine) {
  EXPECT_EQ(
      verdict_table(three_verdicts()),
      "verdict       series                   limit                measured      n  at message  run file       "
      "remarks\n"
      "pass          udp 64 B, socket/socket  max_us <= 60             48.1  10000       #8123  rt.json        "
      "P(exceed) < 3.0e-04 (3/n)\n"
      "FAIL          udp 64 B, socket/socket  lost <= 0                   2  10000           -  rt.json\n"
      "inconclusive  none                     [[bound]] at line 9         -      0           -  all run files  no "
      "series matches this rule, so it checked nothing\n"
      "\n"
      "FAIL: 1 passed, 1 inconclusive, 1 failed\n");
}

TEST(VerdictJson, HasNullsWhereNothingWasMeasured) {
  const nlohmann::json json = verdict_json(three_verdicts());
  EXPECT_EQ(json["overall"], "fail");
  EXPECT_EQ(json["verdicts"][0]["verdict"], "pass");
  EXPECT_EQ(json["verdicts"][0]["measured"], 48.1);
  EXPECT_EQ(json["verdicts"][0]["worst_sequence"], 8'123);
  EXPECT_TRUE(json["verdicts"][1]["worst_sequence"].is_null());
  EXPECT_TRUE(json["verdicts"][2]["bound"].is_null());
  EXPECT_TRUE(json["verdicts"][2]["measured"].is_null());
}

}  // namespace rtecho::report

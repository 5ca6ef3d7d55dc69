#include "report/junit.hpp"

#include <gtest/gtest.h>

namespace rtecho::report {

TEST(Junit, HasASuitePerSeriesAndACasePerVerdict) {
  const std::vector<Verdict> verdicts = {
      {VerdictKind::pass, "rt.json", "udp 64 B", "[defaults]", "max_us", 60, 48.1, 10'000, 8'123, {}},
      {VerdictKind::fail, "rt.json", "udp 64 B", "[defaults]", "lost", 0, 2.0, 10'000, {}, {"two & more"}},
      {VerdictKind::inconclusive, "rt.json", "tcp 64 B", "[defaults]", "max_us", 60, {}, 0, {}, {}}};
  EXPECT_EQ(
      junit_xml(verdicts),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"rtecho-host check\" tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"0\" time=\"0\">\n"
      "  <testsuite name=\"rt.json: udp 64 B\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\" time=\"0\">\n"
      "    <testcase name=\"max_us &lt;= 60\" classname=\"udp 64 B\" time=\"0\">\n"
      "      <system-out>max_us &lt;= 60, 48.1 (n = 10000, worst at message #8123)</system-out>\n"
      "    </testcase>\n"
      "    <testcase name=\"lost &lt;= 0\" classname=\"udp 64 B\" time=\"0\">\n"
      "      <failure type=\"bound\" message=\"lost &lt;= 0, 2 (n = 10000); two &amp; more\">[defaults]</failure>\n"
      "    </testcase>\n"
      "  </testsuite>\n"
      "  <testsuite name=\"rt.json: tcp 64 B\" tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\" time=\"0\">\n"
      "    <testcase name=\"max_us &lt;= 60\" classname=\"tcp 64 B\" time=\"0\">\n"
      "      <failure type=\"inconclusive\" message=\"max_us &lt;= 60, not measured\">[defaults]</failure>\n"
      "    </testcase>\n"
      "  </testsuite>\n"
      "</testsuites>\n");
}

TEST(Junit, EscapesWhatXmlCannotCarry) {
  Verdict verdict;
  verdict.series = "<a b=\"c\" d='e'>&\x01\x1B\x7F tab\t \xC3\xA9 \xFF \xC0\x80 \xED\xA0\x80 \xEF\xBF\xBF \xE2\x82";
  const std::string xml = junit_xml(std::vector<Verdict>{verdict});
  EXPECT_NE(xml.find("&lt;a b=&quot;c&quot; d=&apos;e&apos;&gt;&amp; tab\t \xC3\xA9 ? ?? ???  ??\""), std::string::npos)
      << xml;
}

TEST(Junit, OfNothingIsStillAFile) {
  EXPECT_EQ(junit_xml({}),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites name=\"rtecho-host check\" tests=\"0\" failures=\"0\" errors=\"0\" skipped=\"0\" "
            "time=\"0\">\n</testsuites>\n");
}

}  // namespace rtecho::report

#include "report/timestamp.hpp"

#include <gtest/gtest.h>

#include <string>

namespace rtecho::report {

TEST(Timestamp, CountsFromTheEpoch) {
  EXPECT_EQ(unix_ns_from_rfc3339("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(unix_ns_from_rfc3339("2026-03-01T10:00:00Z"), 1'772'359'200'000'000'000);
  EXPECT_EQ(unix_ns_from_rfc3339("2024-02-29T23:59:60Z"), 1'709'251'200'000'000'000);
}

TEST(Timestamp, ReadsFractionsAndDropsWhatIsBelowANanosecond) {
  EXPECT_EQ(unix_ns_from_rfc3339("1970-01-01T00:00:01.5Z"), 1'500'000'000);
  EXPECT_EQ(unix_ns_from_rfc3339("1970-01-01T00:00:00.0000000019Z"), 1);
}

TEST(Timestamp, ReadsOffsets) {
  EXPECT_EQ(unix_ns_from_rfc3339("1970-01-01T02:30:00+02:30"), 0);
  EXPECT_EQ(unix_ns_from_rfc3339("1970-01-01T00:00:00-01:00"), 3'600'000'000'000);
}

TEST(Timestamp, OrdersWhereTextDoesNot) {
  const std::string whole = "2026-03-01T10:00:00Z";
  const std::string later = "2026-03-01T10:00:00.5Z";
  EXPECT_LT(later, whole);
  EXPECT_GT(unix_ns_from_rfc3339(later), unix_ns_from_rfc3339(whole));
}

TEST(Timestamp, RefusesEveryTruncation) {
  const std::string text = "2026-03-01T10:00:00.25+01:00";
  ASSERT_TRUE(unix_ns_from_rfc3339(text));
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(unix_ns_from_rfc3339(text.substr(0, length))) << length;
  }
}

TEST(Timestamp, RefusesWhatIsNoTime) {
  for (const char* text :
       {"2026-02-30T10:00:00Z", "2026-13-01T10:00:00Z", "2026-00-01T10:00:00Z", "2026-03-01T24:00:00Z",
        "2026-03-01T10:60:00Z", "2026-03-01T10:00:61Z", "2026-03-01T10:00:00", "2026-03-01T10:00:00.Z",
        "2026-03-01T10:00:00Zx", "1969-12-31T23:59:59Z", "2262-01-01T00:00:00Z", "26-03-01T10:00:00Z",
        "2026-03-0aT10:00:00Z", "yesterday"}) {
    EXPECT_FALSE(unix_ns_from_rfc3339(text)) << text;
  }
}

}  // namespace rtecho::report

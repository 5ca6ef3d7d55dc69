#include "report/reference_rtx.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace rtecho::report {

TEST(ReferenceRtx, HasTheRowsOfTheSource) {
  const auto count = [](std::string_view protocol, std::string_view system) {
    return std::count_if(published_results().begin(), published_results().end(), [&](const PublishedResult& result) {
      return result.protocol == protocol && result.system == system;
    });
  };
  EXPECT_EQ(published_results().size(), 46U);
  EXPECT_EQ(count("tcp", "rtx"), 13);
  EXPECT_EQ(count("tcp", "windows"), 11);
  EXPECT_EQ(count("udp", "rtx"), 11);
  EXPECT_EQ(count("udp", "windows"), 11);
}

TEST(ReferenceRtx, HasTheValuesOfTheSource) {
  const PublishedResult* rtx = published_result("udp", 1, "rtx");
  ASSERT_NE(rtx, nullptr);
  EXPECT_EQ(rtx->min_us, 32U);
  EXPECT_EQ(rtx->max_us, 48U);
  EXPECT_EQ(rtx->messages, 10'000U);
  const PublishedResult* windows = published_result("udp", 40'960, "windows");
  ASSERT_NE(windows, nullptr);
  EXPECT_EQ(windows->min_us, 1'407U);
  EXPECT_EQ(windows->max_us, 159'874U);
  const PublishedResult* large = published_result("tcp", 65'535, "rtx");
  ASSERT_NE(large, nullptr);
  EXPECT_EQ(large->min_us, 1'643U);
  EXPECT_EQ(large->max_us, 2'707U);
  for (const PublishedResult& result : published_results()) {
    EXPECT_EQ(result.lost + result.errors, 0U);
    EXPECT_LT(result.min_us, result.max_us);
  }
}

TEST(ReferenceRtx, HasNothingWhereTheSourceHasADash) {
  EXPECT_EQ(published_result("tcp", 1, "windows"), nullptr);
  EXPECT_EQ(published_result("tcp", 1'462, "windows"), nullptr);
  EXPECT_EQ(published_result("udp", 1'462, "windows"), nullptr);
  EXPECT_EQ(published_result("udp", 40'960, "rtx"), nullptr);
  EXPECT_EQ(published_result("udp", 65, "rtx"), nullptr);
  EXPECT_FALSE(published_max_ratio("udp", 1'462));
}

TEST(ReferenceRtx, GivesTheRatioOfTheMaxima) {
  EXPECT_NEAR(published_max_ratio("tcp", 64).value(), 66.67, 0.005);
  EXPECT_NEAR(published_max_ratio("udp", 16).value(), 19.16, 0.005);
  EXPECT_NEAR(published_max_ratio("tcp", 4'096).value(), 0.81, 0.005);
}

}  // namespace rtecho::report

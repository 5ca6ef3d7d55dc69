#include "report/bounds.hpp"

#include <gtest/gtest.h>

namespace rtecho::report {
namespace {

std::string problem_of(std::string_view text) {
  const auto bounds = bounds_from_text(text, "b.toml");
  return bounds ? "" : bounds.failure().sentence;
}

// The example of docs/measurement.md.
constexpr std::string_view example = R"([defaults]
lost = 0
min_samples = 10000

[[bound]]
protocol = "udp"
message_bytes = 64
max_us = 60
resume_max_us = 200
jitter_us = 20
max_over_min = 1.5
"p99.9_us" = 40
max_vs_baseline = 0.5
)";

}  // namespace

TEST(Bounds, ReadsTheExample) {
  const auto bounds = bounds_from_text(example, "b.toml");
  ASSERT_TRUE(bounds) << bounds.failure().sentence;
  ASSERT_EQ(bounds.value().rules.size(), 1U);
  const BoundRule& rule = bounds.value().rules[0];
  EXPECT_EQ(rule.place, "[[bound]] at line 5");
  EXPECT_EQ(rule.protocol, "udp");
  EXPECT_EQ(rule.message_bytes, std::vector<std::uint64_t>{64});
  EXPECT_EQ(rule.min_samples, 10'000U);
  const std::vector<Limit> expected = {{"jitter_us", Quantity::jitter, {}, 20},
                                       {"max_over_min", Quantity::maximum_over_minimum, {}, 1.5},
                                       {"max_us", Quantity::maximum, {}, 60},
                                       {"max_vs_baseline", Quantity::maximum_vs_baseline, {}, 0.5},
                                       {"p99.9_us", Quantity::percentile, {999, 1'000}, 40},
                                       {"resume_max_us", Quantity::resume_maximum, {}, 200},
                                       {"lost", Quantity::lost, {}, 0}};
  EXPECT_EQ(rule.limits, expected);
  EXPECT_EQ(bounds.value().defaults.limits, (std::vector<Limit>{{"lost", Quantity::lost, {}, 0}}));
}

TEST(Bounds, MatchesByProtocolAndSize) {
  const auto matches = [](std::string_view selector, std::string_view protocol, std::uint64_t bytes) {
    const auto bounds = bounds_from_text("[[bound]]\nmax_us = 1\n" + std::string(selector), "b.toml");
    return bounds.value().rules[0].matches({std::string(protocol), bytes, "socket", "socket", false});
  };
  EXPECT_TRUE(matches("", "tcp", 1));
  EXPECT_TRUE(matches("protocol = 'all'\nmessage_bytes = 'all'", "eth", 1'500));
  EXPECT_TRUE(matches("protocol = 'udp'", "udp", 7));
  EXPECT_FALSE(matches("protocol = 'udp'", "tcp", 7));
  EXPECT_TRUE(matches("message_bytes = [64, 128]", "udp", 128));
  EXPECT_FALSE(matches("message_bytes = [64, 128]", "udp", 65));
}

TEST(Bounds, TheCloserValueWins) {
  const auto bounds = bounds_from_text(
      "[defaults]\nlost = 0\nmin_samples = 10\nfaults = 0\n[[bound]]\nlost = 3\nmin_samples = 5\n", "b.toml");
  const BoundRule& rule = bounds.value().rules[0];
  EXPECT_EQ(rule.min_samples, 5U);
  EXPECT_EQ(rule.lost_allowed, 3U);
  EXPECT_EQ(rule.limits, (std::vector<Limit>{{"lost", Quantity::lost, {}, 3}, {"faults", Quantity::faults, {}, 0}}));
}

TEST(Bounds, AreCompleteWithoutDefaultsOrWithoutRules) {
  EXPECT_EQ(problem_of("[[bound]]\nmax_us = 60"), "");
  EXPECT_EQ(problem_of("[defaults]\nheap_allocations = 0\nfaults = 0\nvoluntary_switches = 0"), "");
  EXPECT_EQ(problem_of("[defaults]\nmin_samples = 10\n[[bound]]\np100_us = 10.5"), "");
}

TEST(Bounds, UnknownKeysAreErrorsWithTheirLine) {
  EXPECT_EQ(problem_of("[defaults]\nlost = 0\nmax_ms = 1"), "b.toml line 3: unknown key max_ms in [defaults]");
  EXPECT_EQ(problem_of("[defaults]\nprotocol = 'udp'"), "b.toml line 2: unknown key protocol in [defaults]");
  EXPECT_EQ(problem_of("[[bound]]\nmax_us = 1\nsize = 64"), "b.toml line 3: unknown key size in [[bound]]");
  EXPECT_EQ(problem_of("[[bound]]\np101_us = 1"), "b.toml line 2: unknown key p101_us in [[bound]]");
  EXPECT_EQ(problem_of("\n[bounds]\nmax_us = 1"),
            "b.toml line 2: unknown table or key bounds; known are [defaults] and [[bound]]");
}

TEST(Bounds, WrongValuesAreErrorsWithTheirLine) {
  EXPECT_EQ(problem_of("[[bound]]\nmax_us = 'sixty'"), "b.toml line 2: max_us must be a number of at least 0");
  EXPECT_EQ(problem_of("[[bound]]\nmax_us = -1"), "b.toml line 2: max_us must be a number of at least 0");
  EXPECT_EQ(problem_of("[[bound]]\nmax_us = inf"), "b.toml line 2: max_us must be a number of at least 0");
  EXPECT_EQ(problem_of("[[bound]]\nmax_us = nan"), "b.toml line 2: max_us must be a number of at least 0");
  EXPECT_EQ(problem_of("[[bound]]\nmax_us = true"), "b.toml line 2: max_us must be a number of at least 0");
  EXPECT_EQ(problem_of("[defaults]\nlost = 0.5"), "b.toml line 2: lost must be a whole number of at least 0");
  EXPECT_EQ(problem_of("[defaults]\nlost = 0\nmin_samples = -1"),
            "b.toml line 3: min_samples must be a whole number of at least 0");
  EXPECT_EQ(problem_of("[[bound]]\nmax_us = 1\nprotocol = 4"),
            "b.toml line 3: protocol must be a string such as \"udp\", or \"all\"");
  const char* sizes = "b.toml line 3: message_bytes must be a number of at least 1, a list of such, or \"all\"";
  EXPECT_EQ(problem_of("[[bound]]\nmax_us = 1\nmessage_bytes = 0"), sizes);
  EXPECT_EQ(problem_of("[[bound]]\nmax_us = 1\nmessage_bytes = 'every'"), sizes);
  EXPECT_EQ(problem_of("[[bound]]\nmax_us = 1\nmessage_bytes = [64, 1.5]"), sizes);
  EXPECT_EQ(problem_of("[[bound]]\nmax_us = 1\nmessage_bytes = []"), "b.toml line 3: message_bytes is an empty list");
  EXPECT_EQ(problem_of("defaults = 1"), "b.toml line 1: defaults must be a table: [defaults]");
  EXPECT_EQ(problem_of("[bound]\nmax_us = 1"), "b.toml line 1: bound must be a list of tables: [[bound]]");
}

TEST(Bounds, AFileThatBoundsNothingIsAnError) {
  EXPECT_EQ(problem_of(""), "b.toml: it bounds nothing; say at least one limit, for example lost = 0");
  EXPECT_EQ(problem_of("[defaults]\nmin_samples = 10"),
            "b.toml: it bounds nothing; say at least one limit, for example lost = 0");
  EXPECT_EQ(problem_of("[[bound]]\nprotocol = 'udp'"), "b.toml: [[bound]] at line 1 bounds nothing");
  EXPECT_NE(problem_of("bound = []"), "");
}

TEST(Bounds, SurviveEveryTruncation) {
  for (std::size_t length = 0; length < example.size(); ++length) {
    const std::string problem = problem_of(example.substr(0, length));
    EXPECT_TRUE(problem.empty() || problem.starts_with("b.toml")) << problem;
  }
}

TEST(Bounds, SyntaxErrorsHaveALine) {
  EXPECT_TRUE(problem_of("[defaults]\nlost = 0\n= 7\n").starts_with("b.toml line 3: ")) << problem_of("[x]\n= 7\n");
}

TEST(Bounds, ReadsAFileOrSaysWhyNot) {
  EXPECT_EQ(read_bounds("/nonexistent/b.toml").failure().kind, FailureKind::system);
}

}  // namespace rtecho::report

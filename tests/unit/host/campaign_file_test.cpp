#include "rtecho_host/campaign_file.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "rtecho_host/exit_codes.hpp"

namespace rtecho::host {
namespace {

// Line numbers matter: messages name them.
constexpr std::string_view whole = R"(protocols = ["udp", "tcp"]
sizes = [1, 64, 1462]
count = 10000
repetitions = 3
load = "default"
run_limit_s = 90

[link]
up = false
namespace_a = "left"
mtu = 9000

[[variant]]
name = "realtime"
program = "rtecho"
server_options = ["--cpu", "0"]
client_options = ["--cpu", "1"]

[[variant]]
name = "normal"
program = "rtecho-gpos"

[compare]
reference = "rtx"

[bounds]
file = "bounds.toml"
variant = "realtime"
baseline = "normal"
)";

constexpr std::string_view smallest = R"(protocols = ["udp"]
sizes = "rtx"
count = 1
repetitions = 1
load = "none"

[[variant]]
name = "only"
program = "rtecho"
)";

Campaign parse(std::string_view text) {
  return parse_campaign(std::string(text), "test.toml");
}

// The message of the refusal; empty where there is none.
std::string refusal_of(std::string_view text) {
  try {
    static_cast<void>(parse(text));
    return {};
  } catch (const ProgramFailure& failure) {
    EXPECT_EQ(failure.exit_code(), ExitCode::usage);
    return failure.what();
  }
}

std::string replaced(std::string_view text, std::string_view part, std::string_view by) {
  std::string changed(text);
  const std::size_t at = changed.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return changed.replace(at, part.size(), by);
}

void expect_refused(std::string_view text, std::string_view part, std::string_view by, std::string_view message) {
  const std::string refusal = refusal_of(replaced(text, part, by));
  EXPECT_NE(refusal.find(message), std::string::npos) << "with " << by << ": '" << refusal << "'";
}

TEST(CampaignFile, ReadsEverything) {
  const Campaign campaign = parse(whole);
  EXPECT_FALSE(campaign.makes_link);
  EXPECT_EQ(campaign.link.a.network_namespace, "left");
  EXPECT_EQ(campaign.link.b.network_namespace, "rtecho-b");
  EXPECT_EQ(campaign.link.mtu, 9'000);
  ASSERT_EQ(campaign.variants.size(), 2U);
  EXPECT_EQ(campaign.variants[0].name, "realtime");
  EXPECT_EQ(campaign.variants[0].server_options, (std::vector<std::string>{"--cpu", "0"}));
  EXPECT_EQ(campaign.variants[0].client_options, (std::vector<std::string>{"--cpu", "1"}));
  EXPECT_EQ(campaign.variants[1].program, "rtecho-gpos");
  EXPECT_TRUE(campaign.variants[1].server_options.empty());
  EXPECT_EQ(campaign.protocols, (std::vector<Protocol>{Protocol::udp, Protocol::tcp}));
  EXPECT_EQ(campaign.sizes, (std::vector<std::uint32_t>{1, 64, 1'462}));
  EXPECT_EQ(campaign.count, 10'000U);
  EXPECT_EQ(campaign.repetitions, 3U);
  EXPECT_TRUE(campaign.has_load);
  EXPECT_EQ(campaign.run_limit, std::chrono::seconds(90));
  EXPECT_TRUE(campaign.compares);
  EXPECT_EQ(campaign.comparison_reference, "rtx");
  ASSERT_TRUE(campaign.bounds.has_value());
  EXPECT_EQ(campaign.bounds->file, "bounds.toml");
  EXPECT_EQ(campaign.bounds->variant, "realtime");
  EXPECT_EQ(campaign.bounds->baseline, "normal");
}

TEST(CampaignFile, HasDefaults) {
  const Campaign campaign = parse(smallest);
  EXPECT_TRUE(campaign.makes_link);
  EXPECT_EQ(campaign.link.a.address, "10.77.0.1/24");
  EXPECT_TRUE(campaign.sizes.empty());
  EXPECT_FALSE(campaign.has_load);
  EXPECT_FALSE(campaign.run_limit.has_value());
  EXPECT_FALSE(campaign.compares);
  EXPECT_FALSE(campaign.bounds.has_value());
}

TEST(CampaignFile, NamesUnknownKeysWithTheirLines) {
  expect_refused(whole, "load =", "laod =", "test.toml:");
  expect_refused(smallest, "[[variant]]", "extra = 1\n[[variant]]", "test.toml:7: unknown key 'extra' in the campaign");
  expect_refused(whole, "up = false", "upp = false", "test.toml:9: unknown key 'upp' in [link]");
  expect_refused(whole, "server_options", "options", "test.toml:16: unknown key 'options' in [[variant]]");
  expect_refused(whole, "reference", "referense", "test.toml:24: unknown key 'referense' in [compare]");
  expect_refused(whole, "baseline", "base", "test.toml:29: unknown key 'base' in [bounds]");
}

TEST(CampaignFile, NamesMissingKeys) {
  for (const std::string_view key : {"protocols", "sizes", "count", "repetitions", "load"}) {
    std::string text(smallest);
    text.erase(text.find(key), text.find('\n', text.find(key)) - text.find(key));
    EXPECT_NE(refusal_of(text).find("needs " + std::string(key)), std::string::npos) << refusal_of(text);
  }
  expect_refused(whole, "name = \"normal\"\n", "", "test.toml:19: [[variant]] needs name");
  expect_refused(whole, "program = \"rtecho-gpos\"\n", "", "[[variant]] needs program");
  expect_refused(whole, "file = \"bounds.toml\"\n", "", "[bounds] needs file");
  expect_refused(whole, "variant = \"realtime\"\n", "", "[bounds] needs variant");
  EXPECT_NE(refusal_of(smallest.substr(0, smallest.find("[["))).find("at least one [[variant]]"), std::string::npos);
  EXPECT_FALSE(refusal_of("").empty());
}

TEST(CampaignFile, RefusesWrongTypes) {
  expect_refused(whole, "[\"udp\", \"tcp\"]", "\"udp\"", "test.toml:1: protocols must be a list of texts");
  expect_refused(whole, "\"tcp\"]", "7]", "protocols must be a list of texts");
  expect_refused(whole, "64, ", "\"64\", ", "test.toml:2: sizes must be a whole number from 1 to 65507");
  expect_refused(whole, "64, ", "64.0, ", "sizes must be a whole number");
  expect_refused(whole, "[1, 64, 1462]", "\"all\"", "test.toml:2: sizes must be a list of bytes, or \"rtx\"");
  expect_refused(whole, "10000", "1e4", "test.toml:3: count must be a whole number");
  expect_refused(whole, "\"default\"", "true", "test.toml:5: load must be a text");
  expect_refused(whole, "false", "\"no\"", "test.toml:9: up must be true or false");
  expect_refused(whole, "9000", "\"9000\"", "test.toml:11: mtu must be a whole number");
  expect_refused(whole, "[\"--cpu\", \"0\"]", "\"--cpu 0\"", "test.toml:16: server_options must be a list of texts");
  expect_refused(smallest, "[[variant]]", "link = 3\n[[variant]]", "link must be a table");
  expect_refused(smallest, "[[variant]]", "[variant]", "at least one [[variant]]");
}

TEST(CampaignFile, RefusesValuesOutsideTheirRange) {
  expect_refused(whole, "[1,", "[0,", "sizes must be a whole number from 1 to 65507");
  expect_refused(whole, "1462", "65508", "sizes must be a whole number from 1 to 65507");
  expect_refused(whole, "10000", "0", "count must be a whole number from 1 to 1000000000");
  expect_refused(whole, "repetitions = 3", "repetitions = -1", "repetitions must be a whole number from 1 to 1000");
  expect_refused(whole, "run_limit_s = 90", "run_limit_s = 0", "run_limit_s must be");
  expect_refused(whole, "\"tcp\"]", "\"icmp\"]", "protocol 'icmp': it is udp, tcp or eth");
  expect_refused(whole, "\"default\"", "\"heavy\"", "load 'heavy': it is none or default");
  expect_refused(whole, "\"rtecho-gpos\"", "\"sockperf\"", "program 'sockperf': it is rtecho or rtecho-gpos");
  expect_refused(whole, "\"rtx\"", "\"atx\"", "test.toml:24: reference 'atx': the only one is rtx");
  expect_refused(whole, "\"left\"", "\"a/b\"", "test.toml:8: [link]: namespace a 'a/b'");
  for (const std::string_view name : {"\"\"", "\"a-b\"", "\"../x\"", "\"A\"", "\"a b\""}) {
    expect_refused(whole, "\"normal\"", name, "small letters");
  }
}

TEST(CampaignFile, AllowsTheLargestSizeOfTcpAlone) {
  const std::string text = replaced(whole, "1462", "65535");
  EXPECT_FALSE(refusal_of(text).empty());
  EXPECT_EQ(refusal_of(replaced(text, "\"udp\", ", "")), "");
}

TEST(CampaignFile, RefusesImpossibleCombinations) {
  expect_refused(whole, "\"normal\"", "\"realtime\"", "test.toml:19: variant 'realtime' is there twice");
  expect_refused(whole, "\"tcp\"]", "\"udp\"]", "protocol 'udp' is there twice");
  expect_refused(whole, "1462", "64", "size 64 is there twice");
  expect_refused(whole, "[1, 64, 1462]", "[]", "sizes must name at least one");
  expect_refused(whole, "[\"udp\", \"tcp\"]", "[]", "protocols must name at least one");
  expect_refused(whole, "variant = \"realtime\"", "variant = \"other\"", "variant 'other': there is no such variant");
  expect_refused(whole, "baseline = \"normal\"", "baseline = \"other\"", "baseline 'other': there is no such variant");
  expect_refused(whole, "baseline = \"normal\"", "baseline = \"realtime\"", "baseline and variant are the same");
  EXPECT_NE(refusal_of(std::string(smallest) + "\n[compare]\n").find("test.toml:11: [compare] needs two variants"),
            std::string::npos);
}

TEST(CampaignFile, RefusesOptionsThatTheCampaignSets) {
  expect_refused(whole, "[\"--cpu\", \"0\"]", "[\"--bind\", \"::1\"]", "server_options must not hold --bind");
  expect_refused(whole, "[\"--cpu\", \"0\"]", "[\"--for=3s\"]", "server_options must not hold --for");
  expect_refused(whole, "[\"--cpu\", \"1\"]", "[\"--label=x\"]", "test.toml:17: client_options must not hold --label");
  expect_refused(whole, "[\"--cpu\", \"1\"]", "[\"--count\", \"5\"]", "client_options must not hold --count");
}

TEST(CampaignFile, SaysWhereTomlIsBroken) {
  expect_refused(whole, "count = 10000", "count = ", "test.toml:3: ");
  // Every truncation is refused or parsed, never worse.
  for (std::size_t length = 0; length < whole.size(); ++length) {
    static_cast<void>(refusal_of(whole.substr(0, length)));
  }
}

}  // namespace
}  // namespace rtecho::host

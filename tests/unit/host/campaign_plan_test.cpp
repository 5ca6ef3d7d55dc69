#include "rtecho_host/campaign_plan.hpp"

#include <gtest/gtest.h>

namespace rtecho::host {
namespace {

Campaign two_variants() {
  Campaign campaign;
  campaign.variants = {{"a", "rtecho", {}, {}}, {"b", "rtecho-gpos", {}, {}}};
  campaign.protocols = {Protocol::udp, Protocol::tcp};
  campaign.sizes = {1, 64};
  campaign.count = 10'000;
  campaign.repetitions = 2;
  return campaign;
}

TEST(CampaignPlan, VariantsTakeTurns) {
  std::vector<std::string> names;
  for (const PlannedRun& run : plan_runs(two_variants())) {
    names.push_back(run.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a-udp-1", "b-udp-1", "a-tcp-1", "b-tcp-1",  //
                                             "a-udp-2", "b-udp-2", "a-tcp-2", "b-tcp-2"}));
}

TEST(CampaignPlan, RunsKnowTheirParts) {
  const PlannedRun run = plan_runs(two_variants()).at(7);
  EXPECT_EQ(run.variant, 1U);
  EXPECT_EQ(run.protocol, Protocol::tcp);
  EXPECT_EQ(run.repetition, 2U);
}

TEST(CampaignPlan, LimitGrowsWithCountAndSizes) {
  Campaign campaign = two_variants();
  EXPECT_EQ(run_limit(campaign), std::chrono::seconds(60 + 2 * (30 + 100)));
  campaign.count = 1;
  EXPECT_EQ(run_limit(campaign), std::chrono::seconds(60 + 2 * (30 + 1)));
  campaign.sizes = {};  // the published ones
  EXPECT_EQ(run_limit(campaign), std::chrono::seconds(60 + 13 * (30 + 1)));
  campaign.run_limit = std::chrono::seconds(7);
  EXPECT_EQ(run_limit(campaign), std::chrono::seconds(7));
}

}  // namespace
}  // namespace rtecho::host

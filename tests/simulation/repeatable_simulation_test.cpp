// The same seeds give the same report, byte for byte.
#include <gtest/gtest.h>

#include <string>

#include "report_text.hpp"
#include "simulation.hpp"

namespace rtecho::simulation {
namespace {

std::string report_with_seed(std::uint64_t seed, const PacingPlan& pacing) {
  Scenario scenario{.client = ping_pong(64, 2'000), .up = {}, .down = {}, .stall_begins = {}, .stall_ends = {}};
  scenario.client.pacing = pacing;
  scenario.client.warmup = 50;
  scenario.client.batch.resume = 16;
  scenario.up.seed = seed;
  scenario.up.drop_per_million = scenario.up.duplicate_per_million = scenario.up.corrupt_per_million = 10'000;
  scenario.up.delay_per_million = 500'000;
  scenario.up.delay_random = Duration::from_ms(1);
  scenario.down = scenario.up;
  scenario.down.seed = seed + 1'000;
  Simulation run(scenario);
  run.run();
  EXPECT_TRUE(run.done());
  return report_of(run);
}

TEST(Report, IsTheSameForTheSameSeed) {
  for (const PacingPlan& pacing :
       {PacingPlan{}, PacingPlan{.window = 32}, PacingPlan{.numerator_ns = 100'000, .window = 64}}) {
    const std::string report = report_with_seed(1, pacing);
    EXPECT_EQ(report, report_with_seed(1, pacing));
    EXPECT_NE(report, report_with_seed(2, pacing)) << "or the seed would mean nothing";
    EXPECT_GT(report.size(), 2'000U);
  }
}

}  // namespace
}  // namespace rtecho::simulation

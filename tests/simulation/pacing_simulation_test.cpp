// What a periodic user sees: response time against service time, and what becomes of missed slots.
#include <gtest/gtest.h>

#include "simulation.hpp"

namespace rtecho::simulation {
namespace {

// 10 kHz for 50 ms without rests; the server stands still from 10 ms to 15 ms.
class StalledRun : public Simulation {
 public:
  StalledRun(std::uint32_t window, MissedPolicy missed) : Simulation(scenario(window, missed)) { run(); }

 private:
  static Scenario scenario(std::uint32_t window, MissedPolicy missed) {
    Scenario scenario{.client = ping_pong(64, 500),
                      .up = {},
                      .down = {},
                      .stall_begins = Duration::from_ms(10),
                      .stall_ends = Duration::from_ms(15)};
    scenario.client.batch.messages = 0;
    scenario.client.timeout = Duration::from_ms(100);
    scenario.client.pacing = {.numerator_ns = 100'000, .window = window, .missed = missed};
    return scenario;
  }
};

std::uint64_t samples_above(const Histogram& histogram, std::uint64_t ns) {
  std::uint64_t n = 0;
  for (std::size_t i = Histogram::index_of(ns) + 1; i < Histogram::bucket_count; ++i) {
    n += histogram.count_at(i);
  }
  return n;
}

TEST(CoordinatedOmission, ShowsInTheResponseTimeAndNotInTheServiceTime) {
  const StalledRun run(1, MissedPolicy::late);
  ASSERT_EQ(run.record().end, SeriesEnd::complete);
  EXPECT_EQ(run.record().service.n(), 500U);
  EXPECT_EQ(run.record().response.n(), 500U);
  EXPECT_EQ(run.record().slip.n(), 500U);
  EXPECT_EQ(samples_above(run.record().service, 1'000'000), 1U) << "the one that was outstanding";
  // Those due in the 4 ms that end 1 ms before the stall does, 100 us apart; a step of this simulation is 20 us.
  EXPECT_GE(samples_above(run.record().response, 1'000'000), 38U);
  EXPECT_LE(samples_above(run.record().response, 1'000'000), 42U);
  EXPECT_GT(run.record().response.max().value(), Duration::from_us(4'800));
  EXPECT_GT(run.record().slip.max().value(), Duration::from_us(4'700));
}

TEST(CoordinatedOmission, ShowsInBothWhereTheWindowLetsEveryMessageGo) {
  const StalledRun run(64, MissedPolicy::late);
  ASSERT_EQ(run.record().end, SeriesEnd::complete);
  EXPECT_GE(samples_above(run.record().service, 1'000'000), 38U);
  EXPECT_LE(samples_above(run.record().service, 1'000'000), 42U);
  EXPECT_LT(run.record().slip.max().value(), Duration::from_us(25)) << "nothing kept it from sending in time";
}

TEST(MissedSlots, AreSentLateAndLoseNothing) {
  const StalledRun run(1, MissedPolicy::late);
  EXPECT_EQ(run.client(), (ClientAccounting{.attempted = 500, .sent = 500, .answered = 500, .frames = 500}));
  EXPECT_LT(run.record().elapsed, Duration::from_us(50'100)) << "the schedule is caught up with";
}

TEST(MissedSlots, AreLeftOutWhereThatIsThePolicy) {
  const StalledRun run(1, MissedPolicy::skip);
  ASSERT_EQ(run.record().end, SeriesEnd::complete);
  EXPECT_GE(run.client().skipped, 48U);
  EXPECT_LE(run.client().skipped, 50U);
  EXPECT_EQ(run.client().attempted, 500U);
  EXPECT_EQ(run.record().service.n() + run.client().skipped, 500U);
  EXPECT_LT(run.record().slip.max().value(), Duration::from_us(100)) << "no slot that has passed wholly is sent";
}

TEST(Rate, SendsEveryMessageInItsSlot) {
  ClientPlan plan = ping_pong(64, 300);
  plan.batch.messages = 0;
  plan.pacing = {.numerator_ns = 1'000'000'000, .denominator = 3'000, .window = 64};
  Simulation run(Scenario{.client = plan, .up = {}, .down = {}, .stall_begins = {}, .stall_ends = {}});
  run.run();
  ASSERT_EQ(run.record().end, SeriesEnd::complete);
  EXPECT_LT(run.record().slip.max().value(), Duration::from_us(2)) << "a step at the very instant it is due";
  EXPECT_GE(run.record().elapsed.ns(), 99'666'666) << "299 thirds of a millisecond";
  EXPECT_LT(run.record().elapsed.ns(), 99'700'000);
  EXPECT_EQ(run.record().turnaround.n(), 0U);
}

TEST(Burst, IsIntendedAtOneInstant) {
  ClientPlan plan = ping_pong(64, 80);
  plan.batch.messages = 0;
  plan.pacing = {.numerator_ns = 1'000'000, .burst = 8, .window = 8};
  Simulation run(Scenario{.client = plan, .up = {}, .down = {}, .stall_begins = {}, .stall_ends = {}});
  run.run();
  ASSERT_EQ(run.record().end, SeriesEnd::complete);
  EXPECT_EQ(run.record().service.n(), 80U);
  EXPECT_GE(run.record().elapsed, Duration::from_ms(9)) << "ten bursts";
  EXPECT_LT(run.record().elapsed, Duration::from_us(9'100));
  EXPECT_LT(run.record().slip.max().value(), Duration::from_us(2));
}

}  // namespace
}  // namespace rtecho::simulation

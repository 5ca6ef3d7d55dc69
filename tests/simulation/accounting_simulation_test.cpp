// The accounting equations under every fault, in either direction, in every form, under every kind of pacing; and
// that each fault leaves its own mark, so that the equations do not hold because nothing happened.
#include <gtest/gtest.h>

#include <string>

#include "simulation.hpp"

namespace rtecho::simulation {
namespace {

struct Fault {
  const char* name;
  FaultPlan plan;
  std::uint64_t FaultCounters::*mark;
};

FaultPlan everything() {
  FaultPlan plan;
  plan.seed = 5;
  plan.drop_per_million = plan.duplicate_per_million = plan.reorder_per_million = 50'000;
  plan.corrupt_per_million = plan.truncate_per_million = 50'000;
  plan.delay_per_million = 50'000;
  plan.delay_fixed = Duration::from_ms(1);
  plan.delay_random = Duration::from_ms(2);
  return plan;
}

const std::vector<Fault>& faults() {
  static const std::vector<Fault> all{
      {"drop_first", {.drop_first = 1}, &FaultCounters::dropped},
      {"drop_tail", {.drop_from = 199}, &FaultCounters::dropped},
      {"drop_all", {.drop_per_million = always}, &FaultCounters::dropped},
      {"drop_some", {.seed = 2, .drop_per_million = 100'000}, &FaultCounters::dropped},
      {"delay_beyond_timeout",
       {.seed = 3, .delay_per_million = 100'000, .delay_fixed = Duration::from_us(2'500)},
       &FaultCounters::delayed},
      {"duplicate", {.seed = 4, .duplicate_per_million = 100'000}, &FaultCounters::duplicated},
      {"reorder", {.seed = 6, .reorder_per_million = 100'000}, &FaultCounters::reordered},
      {"corrupt", {.seed = 7, .corrupt_per_million = 100'000}, &FaultCounters::corrupted},
      {"truncate", {.seed = 8, .truncate_per_million = 100'000, .truncate_bytes_max = 5}, &FaultCounters::truncated},
      {"everything", everything(), &FaultCounters::delayed},
  };
  return all;
}

struct Pacing {
  const char* name;
  PacingPlan plan;
};

const std::vector<Pacing>& pacings() {
  static const std::vector<Pacing> all{
      {"ping_pong", {}},
      {"window", {.window = 32}},
      {"burst", {.burst = 8, .window = 16}},
      {"rate_late", {.numerator_ns = 100'000, .window = 64}},
      {"rate_skip", {.numerator_ns = 100'000, .window = 64, .missed = MissedPolicy::skip}},
      {"rate_burst", {.numerator_ns = 800'000, .burst = 8, .window = 64}},
  };
  return all;
}

constexpr std::uint32_t sizes[] = {1, 2, 15, 16, 63, 64, 1'472};

Scenario scenario_of(std::uint32_t bytes, const PacingPlan& pacing) {
  Scenario scenario{.client = ping_pong(bytes, 200), .up = {}, .down = {}, .stall_begins = {}, .stall_ends = {}};
  scenario.client.pacing = pacing;
  scenario.client.pacing.window = bytes == 1 ? 1 : pacing.window;
  scenario.client.pacing.burst = bytes == 1 ? 1 : pacing.burst;
  scenario.client.batch.messages = 50;
  scenario.client.warmup = 10;
  scenario.client.batch.resume = 3;
  return scenario;
}

std::string text_of(const ClientAccounting& c, const ServerAccounting& s) {
  std::string text = "client";
  for (const std::uint64_t n : {c.attempted, c.sent, c.refused, c.skipped, c.answered, c.late, c.lost, c.unresolved,
                                c.frames, c.duplicate, c.corrupt, c.malformed, c.stray}) {
    text += " " + std::to_string(n);
  }
  text += " server";
  for (const std::uint64_t n : {s.frames, s.requests, s.repeated, s.malformed, s.unarmed, s.replies, s.reply_refused}) {
    text += " " + std::to_string(n);
  }
  return text;
}

// The equations of docs/measurement.md, written out here on purpose: holds() is under test too.
void expect_equations(const Simulation& run) {
  const ClientAccounting& c = run.client();
  const ServerAccounting& s = run.server();
  EXPECT_EQ(c.attempted, c.sent + c.refused + c.skipped);
  EXPECT_EQ(c.sent, c.answered + c.late + c.lost + c.unresolved);
  EXPECT_EQ(c.frames, c.answered + c.late + c.duplicate + c.corrupt + c.malformed + c.stray);
  EXPECT_EQ(s.frames, s.requests + s.repeated + s.malformed + s.unarmed);
  EXPECT_EQ(s.requests + s.repeated, s.replies + s.reply_refused);
  EXPECT_TRUE(c.holds() && s.holds());
  EXPECT_EQ(run.up().messages, c.sent) << "the link has seen what the client thinks it sent";
  EXPECT_EQ(run.down().messages, s.replies);
  EXPECT_EQ(run.up().discarded + run.down().discarded, 0U);
}

class EveryFault : public testing::TestWithParam<std::tuple<std::uint32_t, std::size_t>> {
 protected:
  std::uint32_t bytes_ = std::get<0>(GetParam());
  const Pacing& pacing_ = pacings()[std::get<1>(GetParam())];
};

TEST_P(EveryFault, KeepsTheEquations) {
  for (const Fault& fault : faults()) {
    for (const bool is_up : {true, false}) {
      if (bytes_ == 1 && fault.mark == &FaultCounters::truncated) {
        continue;  // a message of one byte cannot lose any
      }
      SCOPED_TRACE(std::string(fault.name) + (is_up ? " up" : " down"));
      Scenario scenario = scenario_of(bytes_, pacing_.plan);
      (is_up ? scenario.up : scenario.down) = fault.plan;
      Simulation run(scenario);
      run.run();
      SCOPED_TRACE(text_of(run.client(), run.server()));
      ASSERT_TRUE(run.done()) << "a bounded number of steps";
      expect_equations(run);
      EXPECT_GT((is_up ? run.up() : run.down()).*fault.mark, 0U) << "nothing happened";
      if (run.record().end == SeriesEnd::complete) {
        EXPECT_EQ(run.client().unresolved, 0U);
      }
    }
  }
}

void expect_equations_under_everything(std::uint32_t bytes, const PacingPlan& pacing) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    Scenario scenario = scenario_of(bytes, pacing);
    scenario.up = scenario.down = everything();
    scenario.up.seed = seed;
    scenario.down.seed = seed + 100;
    Simulation run(scenario);
    run.run();
    SCOPED_TRACE(text_of(run.client(), run.server()) + " seed " + std::to_string(seed));
    ASSERT_TRUE(run.done()) << "a bounded number of steps";
    expect_equations(run);
  }
}

TEST_P(EveryFault, InBothDirectionsAtOnceKeepsTheEquations) {
  if (bytes_ != 1) {
    expect_equations_under_everything(bytes_, pacing_.plan);
  }
}

// An altered tag is taken for the late answer to a message of long ago; twice that "round trip" is then waited after
// each loss, in which time the next such message is even older.
TEST(OneByte, EveryFaultAtOnceEndsInABoundedNumberOfSteps) {
  for (const Pacing& pacing : pacings()) {
    SCOPED_TRACE(pacing.name);
    expect_equations_under_everything(1, pacing.plan);
  }
}

TEST_P(EveryFault, AnInterruptAtAnyStepKeepsTheEquations) {
  for (std::uint64_t steps = 0; steps < 120; ++steps) {
    Scenario scenario = scenario_of(bytes_, pacing_.plan);
    scenario.client.warmup = 0;
    scenario.client.timeout = Duration::from_ms(100);  // so that the faults alone end no series
    scenario.up = scenario.down = everything();
    scenario.interrupt_after = steps;
    Simulation run(scenario);
    run.run();
    SCOPED_TRACE(text_of(run.client(), run.server()) + " interrupted after " + std::to_string(steps));
    ASSERT_TRUE(run.done());
    ASSERT_EQ(run.record().end, SeriesEnd::interrupted);
    expect_equations(run);
  }
}

INSTANTIATE_TEST_SUITE_P(InEveryForm, EveryFault,
                         testing::Combine(testing::ValuesIn(sizes), testing::Range<std::size_t>(0, 6)),
                         [](const auto& test) {
                           return std::to_string(std::get<0>(test.param)) + "_bytes_" +
                                  pacings()[std::get<1>(test.param)].name;
                         });

// What a fault is to the two ends, message by message: a ping-pong of 200 full messages.

class FullRun : public Simulation {
 public:
  FullRun(const FaultPlan& up, const FaultPlan& down) : Simulation(scenario_with(up, down)) { run(); }

 private:
  static Scenario scenario_with(const FaultPlan& up, const FaultPlan& down) {
    return {.client = ping_pong(64, 200), .up = up, .down = down, .stall_begins = {}, .stall_ends = {}};
  }
};

LossSplit split_of(const Simulation& run) {
  LossSplit split{.up = 9'999, .down = 9'999};
  EXPECT_TRUE(split_loss(run.client(), run.server(), split));
  return split;
}

TEST(Loss, OfTheFirstMessageIsOneLost) {
  const FullRun run({.drop_first = 1}, {});
  EXPECT_EQ(run.client().lost, 1U);
  EXPECT_EQ(run.client().answered, 199U);
  EXPECT_EQ(split_of(run).up, 1U);
  EXPECT_EQ(split_of(run).down, 0U);
  EXPECT_EQ(run.record().end, SeriesEnd::complete);
}

TEST(Loss, OfTheLastReplyIsOneLostOnTheWayDown) {
  const FullRun run({}, {.drop_from = 199});
  EXPECT_EQ(run.client().lost, 1U);
  EXPECT_EQ(split_of(run).up, 0U);
  EXPECT_EQ(split_of(run).down, 1U);
  EXPECT_EQ(run.record().end, SeriesEnd::complete);
}

TEST(Loss, OfEveryMessageLosesThePeerAfterTen) {
  const FullRun run({.drop_per_million = always}, {});
  EXPECT_EQ(run.record().end, SeriesEnd::peer_lost);
  EXPECT_EQ(run.client(), (ClientAccounting{.attempted = 10, .sent = 10, .lost = 10}));
  EXPECT_EQ(split_of(run).up, 10U);
  EXPECT_FALSE(run.record().service.max().has_value()) << "no samples are no zeros";
}

TEST(Loss, IsSplitIntoUpAndDown) {
  const FullRun run({.seed = 2, .drop_per_million = 100'000}, {.seed = 3, .drop_per_million = 50'000});
  const LossSplit split = split_of(run);
  EXPECT_EQ(split.up, run.up().dropped);
  EXPECT_EQ(split.down, run.down().dropped);
  EXPECT_EQ(run.client().lost, split.up + split.down);
  EXPECT_GT(split.up, 0U);
  EXPECT_GT(split.down, 0U);
}

TEST(Duplicate, OfEveryReplyCountsOnceEach) {
  const FullRun run({}, {.duplicate_per_million = always});
  EXPECT_EQ(run.client().answered, 200U);
  EXPECT_EQ(run.client().duplicate, 200U) << "each copy comes in the look that brings its original";
  EXPECT_EQ(run.client().lost, 0U);
}

TEST(Duplicate, OfEveryRequestIsARepetitionThatIsAnswered) {
  const FullRun run({.duplicate_per_million = always}, {});
  EXPECT_EQ(run.server().requests, 200U);
  EXPECT_EQ(run.server().repeated, 200U);
  EXPECT_EQ(run.server().replies, 400U);
  EXPECT_EQ(run.client().answered, 200U);
  EXPECT_GT(run.client().duplicate, 190U);
}

TEST(Delay, BeyondTheTimeoutIsLateAndKeepsItsLatency) {
  const FullRun run({}, {.seed = 3, .delay_per_million = 100'000, .delay_fixed = Duration::from_us(2'500)});
  EXPECT_EQ(run.client().late, run.down().delayed);
  EXPECT_GT(run.client().late, 5U);
  EXPECT_EQ(run.client().lost, 0U);
  EXPECT_EQ(run.record().service.n(), 200U);
  EXPECT_GE(run.record().service.max().value().ns(), 2'500'000);
  EXPECT_LT(run.record().service.max().value().ns(), 2'600'000);
}

TEST(Corrupt, ReplyNeverAnswers) {
  const FullRun run({}, {.seed = 7, .corrupt_per_million = 100'000});
  EXPECT_EQ(run.client().corrupt + run.client().stray, run.down().corrupted);
  EXPECT_EQ(run.client().lost, run.down().corrupted);
  EXPECT_GT(run.client().corrupt, 5U);
}

TEST(Corrupt, RequestIsNotAnswered) {
  const FullRun run({.seed = 7, .corrupt_per_million = 100'000}, {});
  EXPECT_EQ(run.server().malformed, run.up().corrupted);
  EXPECT_EQ(split_of(run).up, run.up().corrupted);
  EXPECT_EQ(run.client().frames, run.client().answered);
}

TEST(Truncate, IsMalformedAtEitherEnd) {
  const FullRun down({}, {.seed = 8, .truncate_per_million = 100'000, .truncate_bytes_max = 64});
  EXPECT_EQ(down.client().malformed, down.down().truncated);
  EXPECT_EQ(down.client().lost, down.down().truncated);
  const FullRun up({.seed = 8, .truncate_per_million = 100'000, .truncate_bytes_max = 64}, {});
  EXPECT_EQ(up.server().malformed, up.up().truncated);
  EXPECT_EQ(up.client().lost, up.up().truncated);
  EXPECT_GT(up.up().truncated, 5U);
}

TEST(Reorder, IsAPropertyOfAnsweredMessages) {
  Scenario scenario{.client = ping_pong(64, 200),
                    .up = {},
                    .down = {.seed = 6, .reorder_per_million = 200'000},
                    .stall_begins = {},
                    .stall_ends = {}};
  scenario.client.pacing.window = 32;
  Simulation run(scenario);
  run.run();
  EXPECT_EQ(run.client().answered, 200U);
  EXPECT_GT(run.client().reordered, 0U);
  EXPECT_LE(run.client().reordered, run.down().reordered);
}

}  // namespace
}  // namespace rtecho::simulation

#include "report/verdict.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "sample_runs.hpp"

namespace rtecho::report {
namespace {

using sample::udp_run;

std::vector<Verdict> verdicts_of(const std::string& bounds, const std::vector<NamedRun>& runs,
                                 const std::vector<NamedRun>& baseline = {}) {
  const auto parsed = bounds_from_text(bounds, "b.toml");
  EXPECT_TRUE(parsed) << parsed.failure().sentence;
  return judge(parsed.value(), runs, baseline);
}

// One limit on one run of 10,000 messages of 20 µs with one of 100 µs, after a change to its series.
Verdict verdict_of(
    const std::string& limits, const std::function<void(NamedRun&)>& change = [](NamedRun&) {}) {
  NamedRun run = udp_run("realtime", 1, 100);
  change(run);
  const std::vector<Verdict> verdicts = verdicts_of("[[bound]]\n" + limits, {run});
  EXPECT_EQ(verdicts.size(), 1U);
  return verdicts.front();
}

void lose(NamedRun& run, std::uint64_t lost) {
  ClientAccounting& client = run.run.series[0].accounting.client;
  client.attempted += lost;
  client.sent += lost;
  client.lost += lost;
}

bool mentions(const Verdict& verdict, std::string_view text) {
  for (const std::string& remark : verdict.remarks) {
    if (remark.find(text) != std::string::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

TEST(Verdict, PassesAtTheBoundAndFailsANanosecondAbove) {
  const Verdict pass = verdict_of("max_us = 100");
  EXPECT_EQ(pass.kind, VerdictKind::pass);
  EXPECT_EQ(pass.measured, 100.0);
  EXPECT_EQ(pass.n, 10'000U);
  EXPECT_EQ(pass.worst_sequence, 10'000U);
  EXPECT_EQ(pass.source, "realtime1.json");
  EXPECT_EQ(pass.series, "udp 64 B, socket/socket");
  EXPECT_EQ(verdict_of("max_us = 99.999").kind, VerdictKind::fail);
}

TEST(Verdict, APassSaysWhatItProves) {
  EXPECT_TRUE(mentions(verdict_of("max_us = 100"), "P(exceed) < 3.0e-04 (3/n), < 1.0e+00 (3/2 batches)"));
  EXPECT_TRUE(mentions(verdict_of("resume_max_us = 90"), "P(exceed) < 9.4e-02 (3/n)"));
  EXPECT_TRUE(mentions(verdict_of("lost = 0"), "P(exceed)"));
  EXPECT_TRUE(verdict_of("jitter_us = 100").remarks.empty());
  EXPECT_FALSE(mentions(verdict_of("max_us = 1"), "P(exceed)"));
}

TEST(Verdict, BoundsEachQuantity) {
  EXPECT_EQ(verdict_of("resume_max_us = 90").kind, VerdictKind::pass);
  EXPECT_EQ(verdict_of("resume_max_us = 89").kind, VerdictKind::fail);
  EXPECT_EQ(verdict_of("resume_max_us = 90").worst_sequence, 501U);
  EXPECT_EQ(verdict_of("jitter_us = 80").kind, VerdictKind::pass);
  EXPECT_EQ(verdict_of("jitter_us = 79").kind, VerdictKind::fail);
  EXPECT_EQ(verdict_of("max_over_min = 5").kind, VerdictKind::pass);
  EXPECT_EQ(verdict_of("max_over_min = 4.9").kind, VerdictKind::fail);
  EXPECT_EQ(verdict_of("'p99.9_us' = 20.1").kind, VerdictKind::pass);
  EXPECT_EQ(verdict_of("'p99.9_us' = 19").kind, VerdictKind::fail);
  EXPECT_EQ(verdict_of("'p99.95_us' = 20.1").kind, VerdictKind::pass);
  EXPECT_EQ(verdict_of("p100_us = 99").kind, VerdictKind::fail);
  EXPECT_EQ(verdict_of("heap_allocations = 0\n").kind, VerdictKind::pass);
}

TEST(Verdict, APercentileNeedsItsSamples) {
  const Verdict verdict = verdict_of("'p99.999_us' = 200");
  EXPECT_EQ(verdict.kind, VerdictKind::inconclusive);
  EXPECT_TRUE(mentions(verdict, "10000 samples are too few"));
}

TEST(Verdict, TooFewSamplesAreInconclusiveButABreachIsABreach) {
  const Verdict few = verdict_of("max_us = 100\nmin_samples = 10001");
  EXPECT_EQ(few.kind, VerdictKind::inconclusive);
  EXPECT_TRUE(mentions(few, "10000 of 10001 samples"));
  EXPECT_EQ(verdict_of("max_us = 100\nmin_samples = 10000").kind, VerdictKind::pass);
  EXPECT_EQ(verdict_of("max_us = 99\nmin_samples = 10001").kind, VerdictKind::fail);
}

TEST(Verdict, SamplesAreTheRecordedMessagesThatEnded) {
  const auto with_warmup = [](NamedRun& run) {
    ClientAccounting& client = run.run.series[0].accounting.client;
    client.warmup = 1'000;
    client.resume = 32;
  };
  EXPECT_TRUE(mentions(verdict_of("max_us = 100\nmin_samples = 10000", with_warmup), "8968 of 10000 samples"));
}

TEST(Verdict, ALostMessageExceedsEveryBoundOnMaximumAndPercentiles) {
  const auto one_lost = [](NamedRun& run) { lose(run, 1); };
  for (const char* limit :
       {"max_us = 1e9", "resume_max_us = 1e9", "jitter_us = 1e9", "max_over_min = 1e9", "p50_us = 1e9"}) {
    const Verdict verdict = verdict_of(limit, one_lost);
    EXPECT_EQ(verdict.kind, VerdictKind::fail) << limit;
    EXPECT_TRUE(mentions(verdict, "1 lost or saturated, each exceeds every bound")) << limit;
  }
  EXPECT_EQ(verdict_of("faults = 0", one_lost).kind, VerdictKind::pass);
}

TEST(Verdict, AllowedLossMakesItAVerdictOfTheAnswered) {
  const std::string bounds = "[[bound]]\nlost = 2\nmax_us = 100";
  for (const std::uint64_t lost : {1U, 2U, 3U}) {
    NamedRun run = udp_run("realtime", 1, 100);
    lose(run, lost);
    const std::vector<Verdict> verdicts = verdicts_of(bounds, {run});
    ASSERT_EQ(verdicts.size(), 2U);
    const VerdictKind expected = lost <= 2 ? VerdictKind::pass : VerdictKind::fail;
    EXPECT_EQ(verdicts[0].kind, expected) << verdicts[0].key;
    EXPECT_EQ(verdicts[1].kind, expected) << verdicts[1].key;
    EXPECT_EQ(mentions(verdicts[1], "of the answered"), lost <= 2);
  }
}

TEST(Verdict, ASaturatedOrUntimedMessageExceedsEveryBoundToo) {
  EXPECT_EQ(verdict_of("p50_us = 1e9", [](NamedRun& run) { run.run.series[0].service->saturated = 1; }).kind,
            VerdictKind::fail);
  EXPECT_EQ(
      verdict_of("max_us = 1e9", [](NamedRun& run) { run.run.series[0].accounting.client.late_untimed = 1; }).kind,
      VerdictKind::fail);
}

TEST(Verdict, ADoubtfulRunNeverPasses) {
  const std::vector<std::function<void(NamedRun&)>> doubtful = {
      [](NamedRun& run) { run.run.client.degraded = {"no SCHED_FIFO"}; },
      [](NamedRun& run) { run.run.server->degraded = {"no memory lock"}; },
      [](NamedRun& run) { run.run.complete = false; }, [](NamedRun& run) { run.run.series[0].service->negative = 1; }};
  for (const auto& change : doubtful) {
    EXPECT_EQ(verdict_of("max_us = 100", change).kind, VerdictKind::inconclusive);
    EXPECT_EQ(verdict_of("max_us = 99", change).kind, VerdictKind::fail);
  }
}

TEST(Verdict, NothingAnsweredIsInconclusiveAndNotZero) {
  const auto silent = [](NamedRun& run) { run.run.series[0].service = LatencySummary{}; };
  for (const char* limit : {"max_us = 100", "jitter_us = 100", "p50_us = 100"}) {
    const Verdict verdict = verdict_of(limit, silent);
    EXPECT_EQ(verdict.kind, VerdictKind::inconclusive) << limit;
    EXPECT_FALSE(verdict.measured) << limit;
  }
  EXPECT_EQ(verdict_of("max_us = 1", [](NamedRun& run) { run.run.series[0].service.reset(); }).kind,
            VerdictKind::inconclusive);
  EXPECT_EQ(verdict_of("resume_max_us = 1", [](NamedRun& run) { run.run.series[0].resume.reset(); }).kind,
            VerdictKind::inconclusive);
}

TEST(Verdict, WindowCountsHoldForBothEnds) {
  EXPECT_EQ(verdict_of("faults = 0").kind, VerdictKind::pass);
  EXPECT_EQ(
      verdict_of("faults = 0", [](NamedRun& run) { run.run.series[0].determinism.server->minor_faults = 1; }).kind,
      VerdictKind::fail);
  EXPECT_EQ(
      verdict_of("faults = 1", [](NamedRun& run) { run.run.series[0].determinism.client->major_faults = 1; }).kind,
      VerdictKind::pass);
  EXPECT_EQ(verdict_of("heap_allocations = 0",
                       [](NamedRun& run) { run.run.series[0].determinism.client->heap_allocations = 2; })
                .kind,
            VerdictKind::fail);
}

TEST(Verdict, AnEndThatWasNotMeasuredIsInconclusive) {
  const auto no_server = [](NamedRun& run) { run.run.series[0].determinism.server.reset(); };
  const Verdict verdict = verdict_of("heap_allocations = 0", no_server);
  EXPECT_EQ(verdict.kind, VerdictKind::inconclusive);
  EXPECT_TRUE(mentions(verdict, "not measured at the server"));
  EXPECT_EQ(verdict_of("heap_allocations = 0",
                       [&](NamedRun& run) {
                         no_server(run);
                         run.run.series[0].determinism.client->heap_allocations = 1;
                       })
                .kind,
            VerdictKind::fail);
  EXPECT_EQ(
      verdict_of("faults = 0", [](NamedRun& run) { run.run.series[0].determinism.client->major_faults.reset(); }).kind,
      VerdictKind::inconclusive);
}

TEST(Verdict, AnEndThatBlocksIsNotAskedForItsSwitches) {
  const auto server_blocks = [](NamedRun& run) {
    run.run.series[0].wait.server = "block";
    run.run.series[0].determinism.server->voluntary_switches = 9'000;
  };
  EXPECT_EQ(verdict_of("voluntary_switches = 0", server_blocks).kind, VerdictKind::pass);
  EXPECT_EQ(verdict_of("voluntary_switches = 0",
                       [&](NamedRun& run) {
                         server_blocks(run);
                         run.run.series[0].wait.client = "block";
                       })
                .kind,
            VerdictKind::inconclusive);
  EXPECT_EQ(verdict_of("voluntary_switches = 0",
                       [](NamedRun& run) {
                         run.run.series[0].wait.client = "spin*";
                         run.run.series[0].determinism.client->voluntary_switches = 1;
                       })
                .kind,
            VerdictKind::fail);
}

TEST(Verdict, JudgesTheResponseOfAPacedSeries) {
  EXPECT_EQ(verdict_of("max_us = 100",
                       [](NamedRun& run) {
                         run.run.series[0].response =
                             sample::series("udp", 64, sample::latencies_us(10'000, 20, 101)).service;
                       })
                .kind,
            VerdictKind::fail);
}

TEST(Verdict, SumsThatDoNotAgreeAndAlteredRepliesFail) {
  NamedRun unbalanced = udp_run("realtime", 1, 100);
  unbalanced.run.series[0].accounting.client.sent += 1;
  EXPECT_EQ(overall(verdicts_of("[defaults]\nlost = 0", {unbalanced})), VerdictKind::fail);
  NamedRun corrupt = udp_run("realtime", 1, 100);
  corrupt.run.series[0].accounting.client.corrupt = 1;
  corrupt.run.series[0].accounting.client.frames += 1;
  const std::vector<Verdict> verdicts = verdicts_of("[defaults]\nfaults = 0", {corrupt});
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[0].kind, VerdictKind::fail);
  EXPECT_EQ(verdicts[1].kind, VerdictKind::pass);
}

TEST(Verdict, DefaultsHoldWhereNoRuleMatches) {
  NamedRun run = udp_run("realtime", 1, 100);
  run.run.series.push_back(sample::series("tcp", 64, sample::latencies_us(10, 20, 30)));
  const std::vector<Verdict> verdicts =
      verdicts_of("[defaults]\nmin_samples = 5\nmax_us = 50\n[[bound]]\nprotocol = 'udp'\nmax_us = 100", {run});
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[0].bound, 100);
  EXPECT_EQ(verdicts[1].bound, 50);
  EXPECT_EQ(verdicts[1].rule, "[defaults]");
  EXPECT_EQ(overall(verdicts), VerdictKind::pass);
}

TEST(Verdict, TwoRulesThatMatchSayTheDefaultsOnce) {
  const std::vector<Verdict> verdicts =
      verdicts_of("[defaults]\nlost = 0\n[[bound]]\nmax_us = 100\n[[bound]]\nprotocol = 'udp'\njitter_us = 100",
                  {udp_run("realtime", 1, 100)});
  ASSERT_EQ(verdicts.size(), 3U);
  EXPECT_EQ(verdicts[0].key + verdicts[1].key + verdicts[2].key, "max_uslostjitter_us");
}

TEST(Verdict, ARuleThatChecksNothingDoesNotPass) {
  const std::vector<Verdict> verdicts =
      verdicts_of("[[bound]]\nmax_us = 100\n[[bound]]\nprotocol = 'tcp'\nmax_us = 100", {udp_run("realtime", 1, 100)});
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[1].kind, VerdictKind::inconclusive);
  EXPECT_EQ(verdicts[1].rule, "[[bound]] at line 3");
  EXPECT_EQ(overall(verdicts_of("[defaults]\nlost = 0", {sample::run("realtime", 1, {})})), VerdictKind::inconclusive);
  EXPECT_EQ(overall(verdicts_of("[defaults]\nlost = 0", {})), VerdictKind::inconclusive);
  EXPECT_EQ(overall({}), VerdictKind::inconclusive);
}

TEST(Verdict, ComparesWithTheBaselineInNeighbouringPairs) {
  const std::vector<NamedRun> runs = {udp_run("realtime", 1, 100), udp_run("realtime", 3, 200),
                                      udp_run("realtime", 5, 300)};
  const std::vector<NamedRun> baseline = {udp_run("normal", 2, 1'000), udp_run("normal", 4, 1'000),
                                          udp_run("normal", 6, 1'000)};
  const std::vector<Verdict> pass = verdicts_of("[[bound]]\nmax_vs_baseline = 0.2", runs, baseline);
  ASSERT_EQ(pass.size(), 1U);
  EXPECT_EQ(pass[0].kind, VerdictKind::pass);
  EXPECT_DOUBLE_EQ(pass[0].measured.value(), 0.2);
  EXPECT_EQ(pass[0].n, 30'000U);
  EXPECT_TRUE(mentions(pass[0], "3 pairs, 0.100 to 0.300"));
  EXPECT_EQ(overall(verdicts_of("[[bound]]\nmax_vs_baseline = 0.19", runs, baseline)), VerdictKind::fail);
}

TEST(Verdict, FewPairsAreInconclusiveEvenWhereTheyLookBad) {
  const std::vector<NamedRun> two = {udp_run("realtime", 1, 100), udp_run("realtime", 3, 100)};
  const std::vector<NamedRun> baseline = {udp_run("normal", 2, 100), udp_run("normal", 4, 100)};
  EXPECT_EQ(overall(verdicts_of("[[bound]]\nmax_vs_baseline = 0.5", two, baseline)), VerdictKind::inconclusive);
  EXPECT_EQ(overall(verdicts_of("[[bound]]\nmax_vs_baseline = 0.5", two, {})), VerdictKind::inconclusive);
  // Three of each, but one after the other: only one pair lies side by side.
  const std::vector<NamedRun> first = {udp_run("realtime", 1, 1), udp_run("realtime", 2, 1), udp_run("realtime", 3, 1)};
  const std::vector<NamedRun> then = {udp_run("normal", 4, 100), udp_run("normal", 5, 100), udp_run("normal", 6, 100)};
  EXPECT_EQ(overall(verdicts_of("[[bound]]\nmax_vs_baseline = 0.5", first, then)), VerdictKind::inconclusive);
}

TEST(Verdict, ADoubtfulBaselineDoesNotPass) {
  std::vector<NamedRun> baseline = {udp_run("normal", 2, 1'000), udp_run("normal", 4, 1'000),
                                    udp_run("normal", 6, 1'000)};
  baseline[1].run.complete = false;
  const std::vector<NamedRun> runs = {udp_run("realtime", 1, 100), udp_run("realtime", 3, 100),
                                      udp_run("realtime", 5, 100)};
  EXPECT_EQ(overall(verdicts_of("[[bound]]\nmax_vs_baseline = 0.5", runs, baseline)), VerdictKind::inconclusive);
}

}  // namespace rtecho::report

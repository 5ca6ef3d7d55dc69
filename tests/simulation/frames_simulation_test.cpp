// Both protocols that are made of frames, on a bad wire: the accounting equations under every fault that frames meet,
// each lost message explained by what the wire did, the same report for the same seed, silence between two servers.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "frame_ends.hpp"
#include "report_text.hpp"
#include "rt_core/request.hpp"
#include "simulation.hpp"

namespace rtecho::simulation {
namespace {

constexpr std::uint32_t often = 300'000;

struct FrameFault {
  const char* name;
  FaultPlan plan;
  std::uint64_t FaultCounters::*mark;
};

FaultPlan every_fault() {
  FaultPlan plan{.seed = 20, .burst_per_million = 10'000, .burst_length = 3, .pad_bytes_max = 40};
  plan.drop_per_million = plan.reorder_per_million = plan.delay_per_million = 50'000;
  plan.delay_random = Duration::from_ms(3);
  plan.duplicate_per_million = plan.altered_duplicate_per_million = 100'000;
  plan.corrupt_per_million = plan.truncate_per_million = plan.runt_per_million = 50'000;
  plan.pad_per_million = 300'000;
  plan.checksum_per_million = 50'000;
  plan.checksum_offset = udp_checksum_at;
  return plan;
}

const std::vector<FrameFault>& frame_faults() {
  static const std::vector<FrameFault> all{
      {"burst", {.seed = 11, .burst_per_million = often, .burst_length = 2}, &FaultCounters::bursts},
      {"pad", {.seed = 12, .pad_per_million = often, .pad_bytes_max = 60}, &FaultCounters::padded},
      {"runt", {.seed = 13, .runt_per_million = often}, &FaultCounters::runts},
      {"altered_duplicate", {.seed = 14, .altered_duplicate_per_million = often}, &FaultCounters::altered_duplicates},
      {"udp_checksum",
       {.seed = 15, .checksum_per_million = often, .checksum_offset = udp_checksum_at},
       &FaultCounters::checksums},
      {"ipv4_checksum",
       {.seed = 16, .checksum_per_million = often, .checksum_offset = ipv4_checksum_at},
       &FaultCounters::checksums},
      {"addresses", {.seed = 17, .checksum_per_million = often, .checksum_offset = 4}, &FaultCounters::checksums},
      {"corrupt", {.seed = 18, .corrupt_per_million = often}, &FaultCounters::corrupted},
      {"truncate", {.seed = 19, .truncate_per_million = often, .truncate_bytes_max = 90}, &FaultCounters::truncated},
      {"everything", every_fault(), &FaultCounters::padded},
  };
  return all;
}

std::uint64_t dropped_by(const PortCounters& port) {
  return port.foreign_frames + port.malformed_frames + port.checksum_wrong;
}
std::uint64_t carried(const FaultCounters& wire) {
  return wire.messages - wire.dropped + wire.duplicated;
}

template <typename Run>
void expect_equations(Run& run) {
  const ClientAccounting& c = run.client();
  const ServerAccounting& s = run.server();
  EXPECT_EQ(c.attempted, c.sent + c.refused + c.skipped);
  EXPECT_EQ(c.sent, c.answered + c.late + c.lost + c.unresolved);
  EXPECT_EQ(c.frames, c.answered + c.late + c.duplicate + c.corrupt + c.malformed + c.stray);
  EXPECT_EQ(s.frames, s.requests + s.repeated + s.malformed + s.unarmed);
  EXPECT_EQ(s.requests + s.repeated, s.replies + s.reply_refused);
  EXPECT_EQ(run.up().messages, c.sent);
  EXPECT_EQ(run.down().messages, s.replies) << "nothing else was ever answered";
  EXPECT_EQ(run.up().discarded + run.down().discarded, 0U);
  EXPECT_EQ(s.frames + dropped_by(run.server_port()), carried(run.up())) << "a message, or counted by its cause";
  EXPECT_LE(c.frames + dropped_by(run.client_port()), carried(run.down())) << "the last ones come after its end";
  EXPECT_EQ(run.server_port().requests_answered + run.client_port().requests_answered, 0U);
}

Scenario frames_scenario(std::uint32_t bytes, const PacingPlan& pacing) {
  Scenario scenario{.client = ping_pong(bytes, 200), .up = {}, .down = {}, .stall_begins = {}, .stall_ends = {}};
  scenario.client.pacing = pacing;
  scenario.client.batch.messages = 50;
  scenario.client.warmup = 10;
  scenario.client.batch.resume = 3;
  return scenario;
}

template <typename Ends>
class Frames : public testing::Test {};

// GoogleTest's lists hold types: these stand for the templates.
struct Udp {
  template <typename Wire>
  using Ends = UdpEnds<Wire>;
};
struct Raw {
  template <typename Wire>
  using Ends = RawEnds<Wire>;
};
using Protocols = testing::Types<Udp, Raw>;
TYPED_TEST_SUITE(Frames, Protocols);

template <typename Protocol>
using Run = SimulationOver<Protocol::template Ends>;

TYPED_TEST(Frames, KeepTheEquationsUnderEveryFault) {
  for (const PacingPlan& pacing :
       {PacingPlan{}, PacingPlan{.window = 32}, PacingPlan{.numerator_ns = 100'000, .window = 64}}) {
    for (const std::uint32_t bytes : {2U, 16U, 44U, 64U, 1'472U}) {
      for (const FrameFault& fault : frame_faults()) {
        for (const bool is_up : {true, false}) {
          SCOPED_TRACE(std::string(fault.name) + (is_up ? " up, " : " down, ") + std::to_string(bytes) + " bytes");
          Scenario scenario = frames_scenario(bytes, pacing);
          (is_up ? scenario.up : scenario.down) = fault.plan;
          Run<TypeParam> run(scenario);
          run.run();
          ASSERT_TRUE(run.done()) << "a bounded number of steps";
          expect_equations(run);
          EXPECT_GT((is_up ? run.up() : run.down()).*fault.mark, 0U) << "nothing happened";
        }
      }
    }
  }
}

TYPED_TEST(Frames, KeepTheEquationsUnderEverythingInBothDirections) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U}) {
    for (const std::uint32_t bytes : {2U, 16U, 64U, 1'472U}) {
      Scenario scenario = frames_scenario(bytes, {.window = 16});
      scenario.up = scenario.down = every_fault();
      scenario.up.seed = seed;
      scenario.down.seed = seed + 100;
      Run<TypeParam> run(scenario);
      run.run();
      SCOPED_TRACE(std::to_string(bytes) + " bytes, seed " + std::to_string(seed));
      ASSERT_TRUE(run.done());
      expect_equations(run);
    }
  }
}

// --- what is lost, and why: a ping-pong of 200 full messages ---------------------------------------------------------

template <typename Protocol>
Run<Protocol> run_with(const FaultPlan& up, const FaultPlan& down) {
  return Run<Protocol>(
      Scenario{.client = ping_pong(64, 200), .up = up, .down = down, .stall_begins = {}, .stall_ends = {}});
}

template <typename RunType>
LossSplit split_of(RunType& run) {
  LossSplit split{.up = 9'999, .down = 9'999};
  EXPECT_TRUE(split_loss(run.client(), run.server(), split));
  return split;
}

TYPED_TEST(Frames, LoseWhatABurstTook) {
  const FaultPlan burst{.seed = 11, .burst_per_million = 100'000, .burst_length = 3};
  auto run = run_with<TypeParam>(burst, {});
  run.run();
  EXPECT_EQ(run.client().lost, run.up().dropped);
  EXPECT_GT(run.client().lost, 20U);
  EXPECT_EQ(split_of(run).down, 0U);
}

TYPED_TEST(Frames, LoseEveryRuntInEitherDirection) {
  const FaultPlan runt{.seed = 13, .runt_per_million = often};
  auto up = run_with<TypeParam>(runt, {});
  up.run();
  EXPECT_EQ(up.client().lost, up.up().runts);
  EXPECT_EQ(split_of(up).up, up.up().runts);
  EXPECT_EQ(dropped_by(up.server_port()), up.up().runts) << "none of them reached the loop";
  EXPECT_GT(up.client().lost, 40U);
  auto down = run_with<TypeParam>({}, runt);
  down.run();
  EXPECT_EQ(split_of(down).down, down.down().runts);
  EXPECT_EQ(dropped_by(down.client_port()), down.down().runts);
}

TYPED_TEST(Frames, LoseNothingToPadding) {
  const FaultPlan pad{.seed = 12, .pad_per_million = often, .pad_bytes_max = 100};
  auto run = run_with<TypeParam>(pad, pad);
  run.run();
  EXPECT_EQ(run.client().answered, 200U);
  EXPECT_EQ(run.client().errors(), 0U);
  EXPECT_GT(run.up().padded + run.down().padded, 100U);
}

TYPED_TEST(Frames, LoseNothingToCopiesThatDiffer) {
  const FaultPlan copies{.seed = 14, .altered_duplicate_per_million = often};
  auto run = run_with<TypeParam>(copies, {});
  run.run();
  EXPECT_EQ(run.client().answered, 200U);
  EXPECT_EQ(run.server().requests, 200U);
  EXPECT_GT(run.up().altered_duplicates, 40U);
}

TEST(UdpFrames, LoseWhatTheChecksumsFound) {
  for (const std::size_t at : {udp_checksum_at, ipv4_checksum_at}) {
    const FaultPlan checksum{.seed = 15, .checksum_per_million = often, .checksum_offset = at};
    auto up = run_with<Udp>(checksum, {});
    up.run();
    EXPECT_EQ(up.client().lost, up.up().checksums);
    EXPECT_EQ(up.server_port().checksum_wrong, up.up().checksums);
    EXPECT_EQ(split_of(up).up, up.up().checksums);
    EXPECT_GT(up.client().lost, 40U);
    auto down = run_with<Udp>({}, checksum);
    down.run();
    EXPECT_EQ(split_of(down).down, down.down().checksums);
    EXPECT_EQ(down.client_port().checksum_wrong, down.down().checksums);
  }
}

// A flipped bit is lost on the way and never seen by a loop, wherever it is.
TEST(UdpFrames, LoseEveryFrameWithAFlippedBit) {
  const FaultPlan corrupt{.seed = 18, .corrupt_per_million = often};
  auto run = run_with<Udp>(corrupt, corrupt);
  run.run();
  EXPECT_EQ(split_of(run).up, run.up().corrupted);
  EXPECT_EQ(split_of(run).down, run.down().corrupted);
  EXPECT_EQ(dropped_by(run.server_port()), run.up().corrupted);
  EXPECT_EQ(dropped_by(run.client_port()), run.down().corrupted);
  EXPECT_EQ(run.client().corrupt + run.client().malformed + run.client().stray, 0U);
  EXPECT_EQ(run.server().malformed + run.server().unarmed, 0U);
}

// --- the same seed, the same report
// -----------------------------------------------------------------------------------

template <typename Protocol>
std::string report_with_seed(std::uint64_t seed) {
  Scenario scenario = frames_scenario(64, {.window = 32});
  scenario.client.count = 1'000;
  scenario.up = scenario.down = every_fault();
  scenario.up.seed = seed;
  scenario.down.seed = seed + 1'000;
  Run<Protocol> run(scenario);
  run.run();
  EXPECT_TRUE(run.done());
  const PortCounters ports = run.client_port() + run.server_port();
  return report_of(run) + std::to_string(ports.foreign_frames) + " " + std::to_string(ports.malformed_frames) + " " +
         std::to_string(ports.checksum_wrong) + " " + std::to_string(ports.checksum_partial);
}

TYPED_TEST(Frames, GiveTheSameReportForTheSameSeed) {
  const std::string report = report_with_seed<TypeParam>(1);
  EXPECT_EQ(report, report_with_seed<TypeParam>(1));
  EXPECT_NE(report, report_with_seed<TypeParam>(2));
  EXPECT_GT(report.size(), 1'000U);
}

// --- two servers pointed at each other
// --------------------------------------------------------------------------------

TYPED_TEST(Frames, BetweenTwoServersEndAfterTheFirstReply) {
  using Link = drivers::LoopbackLink<FakeClock, 16>;
  using Ends = typename TypeParam::template Ends<Link::Port>;
  for (const std::uint32_t bytes : {1U, 2U, 15U, 16U, 63U, 64U, 1'472U}) {
    alignas(64) static std::array<std::byte, Link::memory_bytes(1'600)> memory{};
    FakeClock clock(Instant::from_ns(1'000));
    Link link(clock, memory, 1'600);
    Ends ends(link.client(), link.server());
    ServerPlan plan;
    plan.shape = {.message_bytes = bytes, .session = 7};
    const auto left = std::make_unique<EchoServer<typename Ends::Port>>(ends.client(), plan);
    const auto right = std::make_unique<EchoServer<typename Ends::Port>>(ends.server(), plan);

    // One request, as if it came from the left one's address.
    const std::span<std::byte> frame = ends.client().acquire(bytes);
    ASSERT_EQ(frame.size(), bytes);
    RequestWriter(plan.shape).write(frame, 0, ends.client());
    ASSERT_EQ(ends.client().send(frame), SendOutcome::sent);
    std::size_t arrivals = 0;
    for (int i = 0; i < 1'000; ++i) {
      clock.advance(Duration::from_us(1));
      arrivals += left->step().arrivals + right->step().arrivals;
    }
    EXPECT_EQ(arrivals, 2U) << bytes << ": the request and its reply";
    EXPECT_EQ(right->accounting(), (ServerAccounting{.frames = 1, .requests = 1, .replies = 1}));
    EXPECT_EQ(left->accounting(), (ServerAccounting{.frames = 1, .unarmed = 1}));
    EXPECT_EQ(link.free_slots(), 16U) << "no frame is lost";
  }
}

}  // namespace
}  // namespace rtecho::simulation

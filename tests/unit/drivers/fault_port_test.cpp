#include "drivers/fault_port.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "fault_rig.hpp"

namespace rtecho::drivers {
namespace {

using namespace test;
using Rig = FaultRig;

TEST(FaultPort, PassesEverythingWithoutAPlan) {
  Rig rig(FaultPlan{});
  for (std::uint8_t i = 0; i < 50; ++i) {
    ASSERT_EQ(rig.send(i), SendOutcome::sent);
  }
  const std::vector<Message> messages = rig.arrived();
  ASSERT_EQ(messages.size(), 50U);
  EXPECT_EQ(messages[49], message_of(49));
  EXPECT_EQ(rig.port.faults().messages, 50U);
}

TEST(FaultPort, DropsTheFirstMessages) {
  Rig rig(FaultPlan{.drop_first = 2});
  for (std::uint8_t i = 0; i < 4; ++i) {
    EXPECT_EQ(rig.send(i), SendOutcome::sent) << "the sender does not notice";
  }
  EXPECT_EQ(rig.arrived_numbers(), (std::vector<int>{2, 3}));
  EXPECT_EQ(rig.port.faults().dropped, 2U);
}

TEST(FaultPort, DropsTheLastMessages) {
  Rig rig(FaultPlan{.drop_from = 3});
  for (std::uint8_t i = 0; i < 5; ++i) {
    ASSERT_EQ(rig.send(i), SendOutcome::sent);
  }
  EXPECT_EQ(rig.arrived_numbers(), (std::vector<int>{0, 1, 2}));
}

TEST(FaultPort, DropsEveryMessage) {
  Rig rig(FaultPlan{.drop_from = 0, .duplicate_per_million = always});
  ASSERT_EQ(rig.send(0), SendOutcome::sent);
  EXPECT_TRUE(rig.arrived().empty());
  EXPECT_EQ(rig.port.faults().dropped, 1U);
  EXPECT_EQ(rig.port.faults().duplicated, 0U);
}

TEST(FaultPort, DropsAboutAsOftenAsPlanned) {
  Rig rig(FaultPlan{.drop_per_million = 250'000});
  std::size_t count = 0;
  for (int i = 0; i < 4'000; ++i) {
    ASSERT_EQ(rig.send(1), SendOutcome::sent);
    count += rig.arrived().size();
  }
  EXPECT_GT(rig.port.faults().dropped, 900U);
  EXPECT_LT(rig.port.faults().dropped, 1'100U);
  EXPECT_EQ(count, 4'000U - rig.port.faults().dropped);
}

TEST(FaultPort, DelaysUntilTheTimeHasPassed) {
  Rig rig(FaultPlan{.delay_per_million = always, .delay_fixed = Duration::from_us(10)});
  ASSERT_EQ(rig.send(1), SendOutcome::sent);
  EXPECT_EQ(rig.port.held(), 1U);
  rig.look(Duration::from_ns(9'999));
  EXPECT_TRUE(rig.arrived().empty());
  rig.look(Duration::from_ns(1));
  EXPECT_EQ(rig.arrived(), std::vector<Message>{message_of(1)});
  EXPECT_EQ(rig.port.held(), 0U);
  EXPECT_EQ(rig.port.faults().delayed, 1U);
}

TEST(FaultPort, WaitsNoLongerThanForAHeldMessage) {
  Rig rig(FaultPlan{.delay_per_million = always, .delay_fixed = Duration::from_us(10)});
  ASSERT_EQ(rig.send(1), SendOutcome::sent);
  rig.port.wait(Instant::from_ns(50'000));
  EXPECT_EQ(rig.clock.now(), Instant::from_ns(10'000));
  rig.look(Duration{});
  EXPECT_EQ(rig.arrived().size(), 1U);
}

TEST(FaultPort, DelaysAtRandomWithinItsLimits) {
  Rig rig(
      FaultPlan{
          .delay_per_million = always, .delay_fixed = Duration::from_us(100), .delay_random = Duration::from_us(50)},
      64);
  for (std::uint8_t i = 0; i < 60; ++i) {
    ASSERT_EQ(rig.send(i), SendOutcome::sent);
  }
  rig.look(Duration::from_ns(99'999));
  EXPECT_TRUE(rig.arrived().empty());
  rig.look(Duration::from_us(25));
  const std::vector<int> early = rig.arrived_numbers();
  rig.look(Duration::from_us(26));
  const std::vector<int> late = rig.arrived_numbers();
  EXPECT_EQ(early.size() + late.size(), 60U);
  EXPECT_GT(early.size(), 15U);
  EXPECT_GT(late.size(), 15U);
  EXPECT_FALSE(std::is_sorted(early.begin(), early.end())) << "random delays reorder";
}

TEST(FaultPort, DuplicatesBehindTheOriginal) {
  Rig rig(FaultPlan{.duplicate_per_million = always});
  ASSERT_EQ(rig.send(1), SendOutcome::sent);
  ASSERT_EQ(rig.send(2), SendOutcome::sent);
  EXPECT_EQ(rig.arrived_numbers(), (std::vector<int>{1, 1, 2, 2}));
  EXPECT_EQ(rig.port.faults().duplicated, 2U);
}

TEST(FaultPort, SwapsAMessageWithTheNext) {
  Rig rig(FaultPlan{.reorder_per_million = always});
  for (std::uint8_t i = 0; i < 6; ++i) {
    ASSERT_EQ(rig.send(i), SendOutcome::sent);
  }
  EXPECT_EQ(rig.arrived_numbers(), (std::vector<int>{1, 0, 3, 2, 5, 4}));
  EXPECT_EQ(rig.port.faults().reordered, 3U);
}

TEST(FaultPort, SendsAReorderedMessageAlsoWhereNoneFollows) {
  Rig rig(FaultPlan{.reorder_per_million = always, .reorder_patience = Duration::from_us(7)});
  ASSERT_EQ(rig.send(1), SendOutcome::sent);
  rig.look(Duration::from_ns(6'999));
  EXPECT_TRUE(rig.arrived().empty());
  rig.look(Duration::from_ns(1));
  EXPECT_EQ(rig.arrived_numbers(), std::vector<int>{1});
}

TEST(FaultPort, FlipsOneBitAnywhere) {
  Rig rig(FaultPlan{.corrupt_per_million = always});
  std::array<int, message_bytes> hits{};
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_EQ(rig.send(0x55), SendOutcome::sent);
    const std::vector<Message> messages = rig.arrived();
    ASSERT_EQ(messages.size(), 1U);
    ASSERT_EQ(bits_between(messages[0], message_of(0x55)), 1);
    for (std::size_t k = 0; k < message_bytes; ++k) {
      hits[k] += messages[0][k] != std::byte{0x55} ? 1 : 0;
    }
  }
  for (const int hit : hits) {
    EXPECT_GT(hit, 0);
  }
  EXPECT_EQ(rig.port.faults().corrupted, 1'000U);
}

TEST(FaultPort, CutsTheEndOff) {
  Rig rig(FaultPlan{.truncate_per_million = always, .truncate_bytes_max = 3});
  std::array<int, message_bytes + 1> lengths{};
  for (int i = 0; i < 300; ++i) {
    ASSERT_EQ(rig.send(1), SendOutcome::sent);
    const std::vector<Message> messages = rig.arrived();
    ASSERT_EQ(messages.size(), 1U);
    ++lengths[messages[0].size()];
  }
  EXPECT_GT(lengths[13], 0);
  EXPECT_GT(lengths[14], 0);
  EXPECT_GT(lengths[15], 0);
  EXPECT_EQ(lengths[13] + lengths[14] + lengths[15], 300);
}

TEST(FaultPort, LeavesOneByteOfATruncatedMessage) {
  Rig rig(FaultPlan{.truncate_per_million = always, .truncate_bytes_max = 1'000'000});
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(rig.send(1), SendOutcome::sent);
    ASSERT_FALSE(rig.arrived().at(0).empty());
  }
}

TEST(FaultPort, SpoilsRepliesToo) {
  Rig rig(FaultPlan{.duplicate_per_million = always});
  const std::span<std::byte> frame = rig.link.server().acquire(1);
  frame[0] = std::byte{9};
  ASSERT_EQ(rig.link.server().send(frame), SendOutcome::sent);
  std::array<Arrival, 1> arrivals;
  ASSERT_EQ(rig.port.receive(arrivals), 1U);
  ASSERT_EQ(rig.port.reply(arrivals[0]), SendOutcome::sent);
  EXPECT_EQ(rig.arrived_numbers(), (std::vector<int>{9, 9}));
  EXPECT_EQ(rig.link.free_slots(), 64U) << "nothing leaks";
}

TEST(FaultPort, PassesAMessageUnharmedWhereItsBlockIsFull) {
  Rig rig(FaultPlan{.delay_per_million = always, .delay_fixed = Duration::from_us(10)}, 3);
  for (std::uint8_t i = 0; i < 4; ++i) {
    ASSERT_EQ(rig.send(i), SendOutcome::sent);
  }
  EXPECT_EQ(rig.arrived_numbers(), (std::vector<int>{2, 3}));
  EXPECT_EQ(rig.port.faults().delayed, 2U);
  EXPECT_EQ(rig.port.faults().passed_unharmed, 2U);
}

TEST(FaultPort, KeepsHeldMessagesWhereTheInnerPortIsFull) {
  Rig rig(FaultPlan{.duplicate_per_million = always}, 64);
  for (std::uint8_t i = 0; i < 35; ++i) {
    ASSERT_EQ(rig.send(i), SendOutcome::sent);
  }
  EXPECT_EQ(rig.port.held(), 6U) << "70 messages, 64 slots in the link";
  EXPECT_EQ(rig.arrived().size(), 64U);
  rig.look(Duration{});
  EXPECT_EQ(rig.arrived_numbers(), (std::vector<int>{32, 32, 33, 33, 34, 34}));
}

TEST(FaultPort, OffersTheSameFaultsToAMessageThatIsOfferedAgain) {
  Rig rig(FaultPlan{.drop_per_million = 500'000});
  Rig undisturbed(FaultPlan{.drop_per_million = 500'000});
  for (std::uint8_t i = 0; i < 200; ++i) {
    if (i % 2 == 0) {  // all slots of the link in other hands
      while (!rig.link.server().acquire(1).empty()) {
        ASSERT_EQ(rig.link.server().send(rig.link.server().acquire(1)), SendOutcome::sent);
      }
      std::array<Arrival, 64> arrivals;
      const SendOutcome outcome = rig.send(i);
      const std::size_t count = rig.port.receive(arrivals);
      for (std::size_t k = 0; k < count; ++k) {
        rig.port.release(arrivals[k]);
      }
      if (outcome == SendOutcome::would_block) {
        ASSERT_EQ(rig.send(i), SendOutcome::sent);
      }
    } else {
      ASSERT_EQ(rig.send(i), SendOutcome::sent);
    }
    ASSERT_EQ(undisturbed.send(i), SendOutcome::sent);
    ASSERT_EQ(rig.arrived(), undisturbed.arrived()) << int{i};
  }
}

struct Outcome {
  std::vector<Message> messages;
  std::uint64_t dropped = 0;
  std::uint64_t duplicated = 0;
};

Outcome run_everything(std::uint64_t seed, std::uint32_t corrupt_per_million) {
  Rig rig(FaultPlan{.seed = seed,
                    .drop_per_million = 100'000,
                    .delay_per_million = 200'000,
                    .delay_fixed = Duration::from_us(1),
                    .delay_random = Duration::from_us(20),
                    .duplicate_per_million = 100'000,
                    .reorder_per_million = 100'000,
                    .corrupt_per_million = corrupt_per_million,
                    .truncate_per_million = 100'000,
                    .truncate_bytes_max = 4});
  Outcome outcome;
  const auto collect = [&] {
    for (Message& message : rig.arrived()) {
      outcome.messages.push_back(std::move(message));
    }
  };
  for (int i = 0; i < 2'000; ++i) {
    EXPECT_EQ(rig.send(static_cast<std::uint8_t>(i)), SendOutcome::sent);
    collect();
    rig.look(Duration::from_us(3));
    collect();
  }
  rig.look(Duration::from_ms(10));
  collect();
  const FaultCounters& faults = rig.port.faults();
  EXPECT_EQ(rig.port.held(), 0U);
  EXPECT_EQ(faults.messages, 2'000U);
  EXPECT_EQ(outcome.messages.size(), faults.messages - faults.dropped + faults.duplicated);
  EXPECT_EQ(rig.link.free_slots(), 64U) << "nothing leaks";
  outcome.dropped = faults.dropped;
  outcome.duplicated = faults.duplicated;
  return outcome;
}

TEST(FaultPort, RepeatsItselfForTheSameSeed) {
  const Outcome first = run_everything(17, 100'000);
  EXPECT_EQ(first.messages, run_everything(17, 100'000).messages);
  EXPECT_NE(first.messages, run_everything(18, 100'000).messages);
}

TEST(FaultPort, DropsTheSameMessagesWhateverTheOtherFaults) {
  const Outcome with = run_everything(17, 100'000);
  const Outcome without = run_everything(17, 0);
  EXPECT_NE(with.messages, without.messages);
  EXPECT_EQ(with.dropped, without.dropped);
  EXPECT_EQ(with.duplicated, without.duplicated);
}

}  // namespace
}  // namespace rtecho::drivers

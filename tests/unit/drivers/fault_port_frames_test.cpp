// The faults of FaultPort that frames meet: bursts of loss, padding, runts, copies that differ, wrong checksums.
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

#include "fault_rig.hpp"

namespace rtecho::drivers {
namespace {

using namespace test;
using Rig = FaultRig;

TEST(FaultPortBurst, LosesSoManyInARow) {
  Rig rig(FaultPlan{.seed = 3, .burst_per_million = 20'000, .burst_length = 7});
  int in_a_row = 0;
  std::uint64_t bursts = 0;
  for (int i = 0; i < 5'000 || in_a_row > 0; ++i) {
    ASSERT_EQ(rig.send(1), SendOutcome::sent) << "the sender does not notice";
    if (rig.arrived().empty()) {
      ++in_a_row;
    } else if (in_a_row > 0) {
      ASSERT_EQ(in_a_row % 7, 0) << "one burst, or more of them without a gap";
      bursts += static_cast<std::uint64_t>(in_a_row / 7);
      in_a_row = 0;
    }
  }
  EXPECT_EQ(rig.port.faults().bursts, bursts);
  EXPECT_EQ(rig.port.faults().dropped, 7 * bursts);
  EXPECT_GT(bursts, 60U);
  EXPECT_LT(bursts, 120U) << "about 5,000 / (50 + 7)";
}

TEST(FaultPortBurst, OfNoLengthIsNone) {
  Rig rig(FaultPlan{.burst_per_million = always, .burst_length = 0});
  ASSERT_EQ(rig.send(1), SendOutcome::sent);
  EXPECT_EQ(rig.arrived().size(), 1U);
  EXPECT_EQ(rig.port.faults().bursts, 0U);
}

TEST(FaultPortPad, AppendsAsManyBytesAsPlannedAndKeepsTheMessage) {
  Rig rig(FaultPlan{.pad_per_million = always, .pad_bytes_max = 3});
  std::array<int, message_bytes + 4> lengths{};
  for (int i = 0; i < 300; ++i) {
    ASSERT_EQ(rig.send(9), SendOutcome::sent);
    Message message = rig.arrived().at(0);
    ASSERT_GT(message.size(), message_bytes);
    ASSERT_LE(message.size(), message_bytes + 3);
    ++lengths[message.size()];
    message.resize(message_bytes);
    ASSERT_EQ(message, message_of(9));
  }
  EXPECT_GT(lengths[17], 50);
  EXPECT_GT(lengths[18], 50);
  EXPECT_GT(lengths[19], 50);
  EXPECT_EQ(rig.port.faults().padded, 300U);
}

TEST(FaultPortPad, NeverMakesAMessageLongerThanTheInnerPortCarries) {
  Rig rig(FaultPlan{.pad_per_million = always, .pad_bytes_max = 1'000'000});
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(rig.send(1, 127), SendOutcome::sent);
    ASSERT_EQ(rig.arrived().at(0).size(), 128U);
    ASSERT_EQ(rig.send(1, 128), SendOutcome::sent);
    ASSERT_EQ(rig.arrived().at(0).size(), 128U);
  }
  EXPECT_EQ(rig.port.faults().padded, 50U) << "the longest one has no room";
  EXPECT_EQ(rig.port.held(), 0U);
}

TEST(FaultPortRunt, IsShorterThanAnyFrameAndThanItWas) {
  for (const std::size_t bytes : {2U, 16U, 60U, 61U, 128U}) {
    Rig rig(FaultPlan{.runt_per_million = always});
    std::size_t shortest = 1'000;
    std::size_t longest = 0;
    for (int i = 0; i < 1'000; ++i) {
      ASSERT_EQ(rig.send(1, bytes), SendOutcome::sent);
      const std::size_t left = rig.arrived().at(0).size();
      shortest = left < shortest ? left : shortest;
      longest = left > longest ? left : longest;
    }
    EXPECT_EQ(shortest, 1U);
    EXPECT_EQ(longest, bytes < 60 ? bytes - 1 : 59U);
    EXPECT_EQ(rig.port.faults().runts, 1'000U);
  }
}

TEST(FaultPortRunt, LeavesAMessageOfOneByte) {
  Rig rig(FaultPlan{.runt_per_million = always});
  ASSERT_EQ(rig.send(5, 1), SendOutcome::sent);
  EXPECT_EQ(rig.arrived_numbers(), std::vector<int>{5});
  EXPECT_EQ(rig.port.faults().runts, 0U);
}

TEST(FaultPortAlteredDuplicate, DiffersInOneByteAnywhere) {
  Rig rig(FaultPlan{.altered_duplicate_per_million = always});
  std::set<std::size_t> places;
  std::set<std::byte> values;
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_EQ(rig.send(0x55), SendOutcome::sent);
    const std::vector<Message> messages = rig.arrived();
    ASSERT_EQ(messages.size(), 2U);
    ASSERT_EQ(messages[0], message_of(0x55)) << "the original comes first, and whole";
    std::size_t different = 0;
    for (std::size_t k = 0; k < message_bytes; ++k) {
      if (messages[1][k] != messages[0][k]) {
        ++different;
        places.insert(k);
        values.insert(messages[1][k]);
      }
    }
    ASSERT_EQ(different, 1U);
  }
  EXPECT_EQ(places.size(), message_bytes);
  EXPECT_GT(values.size(), 200U);
  EXPECT_EQ(rig.port.faults().duplicated, 1'000U);
  EXPECT_EQ(rig.port.faults().altered_duplicates, 1'000U);
}

TEST(FaultPortAlteredDuplicate, IsTheOnlyCopyOfAMessageThatMeetsBothFaults) {
  Rig rig(FaultPlan{.duplicate_per_million = always, .altered_duplicate_per_million = always});
  ASSERT_EQ(rig.send(1), SendOutcome::sent);
  const std::vector<Message> messages = rig.arrived();
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_NE(messages[0], messages[1]);
  EXPECT_EQ(rig.port.faults().duplicated, 1U);
}

std::uint32_t field_of(const Message& message, std::size_t offset) {
  return std::to_integer<std::uint32_t>(message[offset]) << 8U | std::to_integer<std::uint32_t>(message[offset + 1]);
}

TEST(FaultPortChecksum, ChangesTheFieldAndNothingElse) {
  for (const std::size_t offset : {0U, 5U, 14U}) {
    Rig rig(FaultPlan{.checksum_per_million = always, .checksum_offset = offset});
    for (int i = 0; i < 3'000; ++i) {
      const auto number = static_cast<std::uint8_t>(i);
      ASSERT_EQ(rig.send(number), SendOutcome::sent);
      Message message = rig.arrived().at(0);
      const std::uint32_t was = number * 0x0101U;
      const std::uint32_t is = field_of(message, offset);
      ASSERT_NE(is % 0xFFFFU, was % 0xFFFFU) << "the same number in one's complement";
      ASSERT_NE(is, 0U) << "this would mean that there is none";
      message[offset] = message[offset + 1] = std::byte{number};
      ASSERT_EQ(message, message_of(number));
    }
    EXPECT_EQ(rig.port.faults().checksums, 3'000U);
  }
}

TEST(FaultPortChecksum, LeavesAMessageThatEndsBeforeIt) {
  Rig rig(FaultPlan{.checksum_per_million = always, .checksum_offset = 15});
  ASSERT_EQ(rig.send(1), SendOutcome::sent);
  EXPECT_EQ(rig.arrived(), std::vector<Message>{message_of(1)});
  ASSERT_EQ(rig.send(1, 1), SendOutcome::sent);
  EXPECT_EQ(rig.arrived().size(), 1U);
  EXPECT_EQ(rig.port.faults().checksums, 0U);
}

FaultPlan everything(std::uint64_t seed, std::uint32_t runt_per_million) {
  FaultPlan plan;
  plan.seed = seed;
  plan.drop_per_million = plan.delay_per_million = plan.duplicate_per_million = plan.reorder_per_million = 50'000;
  plan.delay_random = Duration::from_us(20);
  plan.corrupt_per_million = plan.truncate_per_million = plan.altered_duplicate_per_million = 100'000;
  plan.burst_per_million = 30'000;
  plan.burst_length = 3;
  plan.pad_per_million = plan.checksum_per_million = 200'000;
  plan.pad_bytes_max = 40;
  plan.checksum_offset = 8;
  plan.runt_per_million = runt_per_million;
  return plan;
}

struct Outcome {
  std::vector<Message> messages;
  FaultCounters faults;
};

Outcome run(const FaultPlan& plan) {
  Rig rig(plan, 64);
  Outcome outcome;
  for (int i = 0; i < 3'000; ++i) {
    EXPECT_EQ(rig.send(static_cast<std::uint8_t>(i), 100), SendOutcome::sent);
    rig.look(Duration::from_us(3));
    for (const Message& message : rig.arrived()) {
      outcome.messages.push_back(message);
    }
  }
  rig.look(Duration::from_ms(10));
  for (const Message& message : rig.arrived()) {
    outcome.messages.push_back(message);
  }
  outcome.faults = rig.port.faults();
  EXPECT_EQ(rig.link.free_slots(), 64U) << "nothing leaks";
  EXPECT_EQ(outcome.messages.size(), 3'000 - outcome.faults.dropped + outcome.faults.duplicated);
  return outcome;
}

TEST(FaultPort, RepeatsEveryFaultOfFramesForTheSameSeed) {
  const Outcome first = run(everything(9, 100'000));
  EXPECT_EQ(first.messages, run(everything(9, 100'000)).messages);
  EXPECT_NE(first.messages, run(everything(10, 100'000)).messages);
  for (const std::uint64_t count : {first.faults.bursts, first.faults.padded, first.faults.runts,
                                    first.faults.altered_duplicates, first.faults.checksums}) {
    EXPECT_GT(count, 30U);
  }
}

TEST(FaultPort, StrikesTheSameMessagesWhateverTheOtherFaultsOfFrames) {
  const FaultCounters with = run(everything(9, 100'000)).faults;
  const FaultCounters without = run(everything(9, 0)).faults;
  EXPECT_GT(with.runts, 0U);
  EXPECT_EQ(without.runts, 0U);
  EXPECT_EQ(with.dropped, without.dropped);
  EXPECT_EQ(with.bursts, without.bursts);
  EXPECT_EQ(with.duplicated, without.duplicated);
  EXPECT_EQ(with.padded, without.padded);
  EXPECT_LT(with.checksums, without.checksums) << "runts end before the field";
}

// A message that is offered again must not use up a burst.
TEST(FaultPort, KeepsABurstForTheMessageThatIsOfferedAgain) {
  const FaultPlan plan{.seed = 5, .burst_per_million = 200'000, .burst_length = 2};
  Rig rig(plan);
  Rig undisturbed(plan);
  for (std::uint8_t i = 0; i < 200; ++i) {
    std::vector<Arrival> taken(64);
    std::size_t count = 0;
    while (!rig.link.server().acquire(1).empty()) {  // all slots of the link in other hands
      ASSERT_EQ(rig.link.server().send(rig.link.server().acquire(1)), SendOutcome::sent);
    }
    const SendOutcome outcome = rig.send(i);
    count = rig.port.receive(taken);
    for (std::size_t k = 0; k < count; ++k) {
      rig.port.release(taken[k]);
    }
    if (outcome == SendOutcome::would_block) {
      ASSERT_EQ(rig.send(i), SendOutcome::sent);
    }
    ASSERT_EQ(undisturbed.send(i), SendOutcome::sent);
    ASSERT_EQ(rig.arrived(), undisturbed.arrived()) << int{i};
  }
}

}  // namespace
}  // namespace rtecho::drivers

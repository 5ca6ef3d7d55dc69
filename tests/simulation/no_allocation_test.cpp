// Nothing on the way from the first step to the last takes memory, and the client is of one size whatever the count.
// This program's operator new counts.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "frame_ends.hpp"
#include "simulation.hpp"

namespace {

std::uint64_t allocations = 0;

void* allocate(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) {
    std::abort();
  }
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) {
  return allocate(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace rtecho::simulation {
namespace {

template <template <typename> class Ends>
std::uint64_t allocations_of_a_run(std::uint64_t count) {
  Scenario scenario{.client = ping_pong(64, count), .up = {}, .down = {}, .stall_begins = {}, .stall_ends = {}};
  scenario.up.drop_per_million = scenario.up.duplicate_per_million = scenario.up.corrupt_per_million = 1'000;
  scenario.client.pacing.window = 32;
  const std::uint64_t before_all = allocations;
  SimulationOver<Ends> run(scenario);
  EXPECT_GT(allocations, before_all) << "the counter does count";
  const std::uint64_t before = allocations;
  run.run();
  EXPECT_EQ(run.record().end, SeriesEnd::complete);
  EXPECT_GT(run.client().lost, 0U);
  return allocations - before;
}

TEST(Steps, AllocateNothingHoweverManyMessages) {
  EXPECT_EQ(allocations_of_a_run<PlainEnds>(5'000), 0U);
  EXPECT_EQ(allocations_of_a_run<PlainEnds>(200'000), 0U);
}

TEST(Steps, AllocateNothingForFrames) {
  EXPECT_EQ(allocations_of_a_run<UdpEnds>(20'000), 0U);
  EXPECT_EQ(allocations_of_a_run<RawEnds>(20'000), 0U);
}

}  // namespace
}  // namespace rtecho::simulation

#include "platform/window_counters.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "fake_root.hpp"
#include "platform/allocation_guard.hpp"
#include "platform/memory.hpp"

namespace rtecho::platform {
namespace {

TEST(CounterReading, SubtractsAndAdds) {
  EXPECT_EQ((CounterReading(12) - CounterReading(5)).value(), 7U);
  EXPECT_EQ((CounterReading(12) + CounterReading(5)).value(), 17U);
}

TEST(CounterReading, IsAbsentWhereOneSideIs) {
  const CounterReading absent = CounterReading::absent("not told");
  for (const CounterReading result : {CounterReading(1) - absent, absent - CounterReading(1), absent + absent}) {
    EXPECT_FALSE(result.present());
    EXPECT_STREQ(result.absent_reason(), "not told");
  }
}

TEST(CounterReading, DoesNotWrapWhenTheSystemCountsBackwards) {
  EXPECT_EQ((CounterReading(5) - CounterReading(12)).value(), 0U);
}

TEST(WindowSample, SumsOverBatches) {
  WindowSample earlier{};
  WindowSample later{};
  earlier.minor_faults = CounterReading(10);
  later.minor_faults = CounterReading(13);
  later.steal_ns = CounterReading::absent("not told");
  WindowSample sum{};
  sum += later - earlier;
  sum += later - earlier;
  EXPECT_EQ(sum.minor_faults.value(), 6U);
  EXPECT_EQ(sum.heap_allocations.value(), 0U);
  EXPECT_FALSE(sum.steal_ns.present());
}

void write_proc_files(const FakeRoot& root) {
  root.write("proc/thread-self/sched", "test (1, #threads: 1)\n---\nse.nr_migrations    :     42\nnr_switches  : 9\n");
  root.write("proc/interrupts",
             "           CPU0       CPU2       \n"
             " 24:          1        100  IO-APIC   5-edge      ACPI:Ged\n"
             " 28:          7         20  PCI-MSIX-0000:00:01.0   0-edge      virtio0\n"
             "LOC:      18701       3000   Local timer interrupts\n"
             "ERR:       5\n"
             "MIS:       6\n");
  root.write("proc/stat",
             "cpu  1 2 3 4 5 6 7 8 9 10\n"
             "cpu0 1 2 3 4 5 6 7 11 9 10\n"
             "cpu2 1 2 3 4 5 6 7 13 9 10\n"
             "intr 5 4 3\n");
}

TEST(WindowCounters, ReadTheColumnOfTheirCore) {
  const FakeRoot root;
  write_proc_files(root);
  const WindowSample sample = WindowCounters::open(2, root.path()).sample_full();
  EXPECT_EQ(sample.migrations.value(), 42U);
  EXPECT_EQ(sample.interrupts.value(), 3120U);
  ASSERT_EQ(sysconf(_SC_CLK_TCK), 100);
  EXPECT_EQ(sample.steal_ns.value(), 130'000'000U);
}

TEST(WindowCounters, LeaveRowsOutThatAreNotPerCore) {
  const FakeRoot root;
  root.write("proc/interrupts", "           CPU0\n 1:  10  edge\nERR:  5\nMIS:  6\n");
  EXPECT_EQ(WindowCounters::open(0, root.path()).sample_full().interrupts.value(), 10U);
}

TEST(WindowCounters, DoNotMistakeCore1ForCore12) {
  const FakeRoot root;
  root.write("proc/interrupts", "   CPU12   CPU1\n 1:  10  3 edge\n");
  root.write("proc/stat", "cpu12 1 2 3 4 5 6 7 8 9 10\ncpu1 1 2 3 4 5 6 7 1 9 10\n");
  const WindowSample sample = WindowCounters::open(1, root.path()).sample_full();
  EXPECT_EQ(sample.interrupts.value(), 3U);
  EXPECT_EQ(sample.steal_ns.value(), 10'000'000U);
}

TEST(WindowCounters, AreAbsentWithAReasonWhereTheSystemIsSilent) {
  const FakeRoot root;
  const WindowSample sample = WindowCounters::open(0, root.path()).sample_full();
  for (const CounterReading& reading : {sample.migrations, sample.interrupts, sample.steal_ns}) {
    ASSERT_FALSE(reading.present());
    EXPECT_STRNE(reading.absent_reason(), "");
  }
}

TEST(WindowCounters, AreAbsentForACoreThatIsNotListed) {
  const FakeRoot root;
  write_proc_files(root);
  const WindowSample sample = WindowCounters::open(1, root.path()).sample_full();
  EXPECT_STREQ(sample.interrupts.absent_reason(), "/proc/interrupts has no column for this core");
  EXPECT_STREQ(sample.steal_ns.absent_reason(), "/proc/stat has no steal time for this core");
}

TEST(WindowCounters, KnowNoCoreOfAThreadThatIsNotPinned) {
  const WindowSample sample = WindowCounters::open(std::nullopt).sample_full();
  EXPECT_STREQ(sample.interrupts.absent_reason(), "the thread is not pinned to a core");
  EXPECT_STREQ(sample.steal_ns.absent_reason(), "the thread is not pinned to a core");
}

TEST(WindowCounters, SeeInterruptsOfTheRunningSystem) {
  WindowCounters counters = WindowCounters::open(0);
  const WindowSample earlier = counters.sample_full();
  if (!earlier.interrupts.present()) {
    GTEST_SKIP() << earlier.interrupts.absent_reason();
  }
  EXPECT_GT(earlier.interrupts.value(), 0U);
}

TEST(WindowCounters, SeeAVoluntarySwitch) {
  const WindowCounters counters = WindowCounters::open(std::nullopt);
  const WindowSample earlier = counters.sample_light();
  usleep(100);
  const WindowSample window = counters.sample_light() - earlier;
  EXPECT_GE(window.voluntary_switches.value(), 1U);
}

TEST(WindowCounters, SeePageFaults) {
  constexpr std::size_t pages = 16;
  const WindowCounters counters = WindowCounters::open(std::nullopt);
  // Not MappedMemory, whose very purpose is to cause none.
  void* const start = mmap(nullptr, pages * page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(start, MAP_FAILED);
  madvise(start, pages * page_bytes(), MADV_NOHUGEPAGE);
  const WindowSample earlier = counters.sample_light();
  std::memset(start, 1, pages * page_bytes());
  const WindowSample window = counters.sample_light() - earlier;
  munmap(start, pages * page_bytes());
  EXPECT_GE(window.minor_faults.value(), 16U);
}

TEST(WindowCounters, AllocateNothingWhenTheySample) {
  if (!allocation_guard::available()) {
    GTEST_SKIP() << "heap calls are not wrapped under the sanitizers";
  }
  WindowCounters counters = WindowCounters::open(0);
  const std::uint64_t before = allocation_guard::count();
  allocation_guard::arm();
  WindowSample sum{};
  const WindowSample earlier = counters.sample_full();
  sum += counters.sample_full() - earlier;
  sum += counters.sample_light() - earlier;
  allocation_guard::disarm();
  EXPECT_EQ(allocation_guard::count() - before, 0U);
  EXPECT_EQ(sum.heap_allocations.value(), 0U);
}

}  // namespace
}  // namespace rtecho::platform

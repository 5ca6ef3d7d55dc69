// The normal build: an ordinary thread, whatever the plan says.
#include <gtest/gtest.h>
#include <sys/prctl.h>

#include "platform/allocation_guard.hpp"
#include "platform/bootstrap.hpp"
#include "platform/window_counters.hpp"

namespace rtecho::platform {
namespace {

TEST(NormalBuild, IsTheOneThatIsLinked) {
  EXPECT_STREQ(build_kind(), "normal");
  EXPECT_FALSE(build_is_realtime());
}

TEST(NormalBuild, KnowsNoPriorityNoCoreAndNoLock) {
  const ThreadPlan plan{.priority = 80, .cpu = 8000, .lock_memory = true};
  auto thread = BootstrappedThread::start(
      plan, [](void*) {}, nullptr);
  ASSERT_TRUE(thread);
  const ThreadGrant& grant = thread.value().grant();
  EXPECT_EQ(grant.policy, "other");
  EXPECT_EQ(grant.priority, 0);
  EXPECT_FALSE(grant.memory_locked);
  EXPECT_TRUE(grant.degraded.empty());  // it did not ask
}

TEST(NormalBuild, IsAGoodOrdinaryProgram) {
  int timer_slack_ns = 0;
  auto thread = BootstrappedThread::start(
      {}, [](void* argument) { *static_cast<int*>(argument) = prctl(PR_GET_TIMERSLACK); }, &timer_slack_ns);
  ASSERT_TRUE(thread);
  thread.value().join();
  EXPECT_EQ(timer_slack_ns, 1);
}

TEST(NormalBuild, LeavesMemoryToTheSystem) {
  std::vector<std::string> degraded;
  const MemoryLock lock = MemoryLock::acquire(degraded);
  EXPECT_FALSE(lock.held());
  EXPECT_TRUE(degraded.empty());
}

// This program does not link rtecho_allocation_guard.
TEST(UnwrappedProgram, SaysThatHeapCallsAreNotSeen) {
  EXPECT_FALSE(allocation_guard::available());
  const CounterReading reading = WindowCounters::open(std::nullopt).sample_light().heap_allocations;
  ASSERT_FALSE(reading.present());
  EXPECT_STREQ(reading.absent_reason(), "heap calls are not wrapped in this program");
}

}  // namespace
}  // namespace rtecho::platform

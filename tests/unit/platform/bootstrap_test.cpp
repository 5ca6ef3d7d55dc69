// The real-time build: what it asks for, what it gets, and what it says where it does not.
#include "platform/bootstrap.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "child_process.hpp"

namespace rtecho::platform {
namespace {

constexpr bool mlockall_is_ignored =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    true;
#else
    false;
#endif

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) {
    text += sentence + "\n";
  }
  return text;
}

ThreadPlan ordinary_plan() {
  return {.policy = SchedulingPolicy::other, .lock_memory = false};
}

int first_allowed_cpu() {
  cpu_set_t set{};
  sched_getaffinity(0, sizeof set, &set);
  std::size_t cpu = 0;
  while (!CPU_ISSET(cpu, &set)) {
    ++cpu;
  }
  return static_cast<int>(cpu);
}

void do_nothing(void* /*argument*/) {}

// What the body of a thread finds.
struct Observation {
  std::string name;
  sigset_t blocked{};
  int timer_slack_ns = 0;
  long faults_of_stack_use = 0;
};

// Uses most of a stack of 256 KiB.
void use_stack() {
  std::array<volatile char, std::size_t{192} * 1024> large;
  for (std::size_t i = 0; i < large.size(); i += 1024) {
    large[i] = 1;
  }
}

void observe(void* argument) {
  auto& seen = *static_cast<Observation*>(argument);
  std::array<char, 16> name{};
  prctl(PR_GET_NAME, name.data());
  seen.name = name.data();
  pthread_sigmask(SIG_BLOCK, nullptr, &seen.blocked);
  seen.timer_slack_ns = prctl(PR_GET_TIMERSLACK);
  rusage before{};
  rusage after{};
  getrusage(RUSAGE_THREAD, &before);
  use_stack();
  getrusage(RUSAGE_THREAD, &after);
  seen.faults_of_stack_use = after.ru_minflt - before.ru_minflt;
}

TEST(BuildKind, IsTheOneThatIsLinked) {
  EXPECT_STREQ(build_kind(), "realtime");
  EXPECT_TRUE(build_is_realtime());
}

TEST(BootstrappedThread, RunsItsBodyWithItsArgument) {
  int value = 0;
  auto thread = BootstrappedThread::start(
      ordinary_plan(), [](void* argument) { *static_cast<int*>(argument) = 42; }, &value);
  ASSERT_TRUE(thread);
  thread.value().join();
  EXPECT_EQ(value, 42);
}

TEST(BootstrappedThread, ReadsAnOrdinaryGrantBack) {
  auto thread = BootstrappedThread::start(ordinary_plan(), do_nothing, nullptr);
  ASSERT_TRUE(thread);
  thread.value().join();
  const ThreadGrant& grant = thread.value().grant();
  EXPECT_EQ(grant.policy, "other");
  EXPECT_EQ(grant.priority, 0);
  EXPECT_FALSE(grant.cpus.empty());
  EXPECT_TRUE(grant.degraded.empty()) << joined(grant.degraded);
}

TEST(BootstrappedThread, HasItsNameItsMaskAndNoTimerSlack) {
  Observation seen;
  ThreadPlan plan = ordinary_plan();
  plan.name = "echo-under-test";
  auto thread = BootstrappedThread::start(plan, observe, &seen);
  ASSERT_TRUE(thread);
  thread.value().join();
  EXPECT_EQ(seen.name, "echo-under-test");
  EXPECT_EQ(seen.timer_slack_ns, 1);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGALRM}) {
    EXPECT_EQ(sigismember(&seen.blocked, number), 1) << number;
  }
}

TEST(BootstrappedThread, FindsItsStackTouched) {
  if (mlockall_is_ignored) {
    GTEST_SKIP() << "the sanitizer's own shadow of the stack faults";
  }
  Observation seen;
  auto thread = BootstrappedThread::start(ordinary_plan(), observe, &seen);
  ASSERT_TRUE(thread);
  thread.value().join();
  EXPECT_LT(seen.faults_of_stack_use, 8);  // an untouched one would give 48
}

TEST(BootstrappedThread, IsJoinedByItsDestructor) {
  bool finished = false;
  {
    auto thread = BootstrappedThread::start(
        ordinary_plan(),
        [](void* argument) {
          usleep(2000);
          *static_cast<bool*>(argument) = true;
        },
        &finished);
    ASSERT_TRUE(thread);
    BootstrappedThread moved = std::move(thread).value();
  }
  EXPECT_TRUE(finished);
}

TEST(BootstrappedThread, RefusesPrioritiesThatDoNotExist) {
  for (const int priority : {-1, 0, 100}) {
    const auto thread = BootstrappedThread::start({.priority = priority, .lock_memory = false}, do_nothing, nullptr);
    ASSERT_FALSE(thread);
    EXPECT_EQ(thread.error().status, Status::invalid);
  }
}

TEST(BootstrappedThread, RefusesAStackTooSmallForTheSystem) {
  ThreadPlan plan = ordinary_plan();
  plan.stack_bytes = 4096;
  EXPECT_EQ(BootstrappedThread::start(plan, do_nothing, nullptr).error().status, Status::invalid);
}

TEST(BootstrappedThread, IsGrantedFifoAndReadsItBack) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "needs root for SCHED_FIFO";
  }
  const int cpu = first_allowed_cpu();
  auto thread = BootstrappedThread::start({.priority = 42, .cpu = cpu, .lock_memory = false}, do_nothing, nullptr);
  ASSERT_TRUE(thread);
  thread.value().join();
  const ThreadGrant& grant = thread.value().grant();
  if (contains(joined(grant.degraded), "cgroup")) {
    GTEST_SKIP() << joined(grant.degraded);
  }
  EXPECT_EQ(grant.policy, "fifo");
  EXPECT_EQ(grant.priority, 42);
  EXPECT_EQ(grant.cpus, std::vector{cpu});
  EXPECT_TRUE(grant.degraded.empty()) << joined(grant.degraded);
}

TEST(BootstrappedThread, SaysWhichPrivilegeFifoLacks) {
  const ChildOutcome outcome = run_in_child([] {
    const rlimit none{.rlim_cur = 0, .rlim_max = 0};
    if (setrlimit(RLIMIT_RTPRIO, &none) != 0 || (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)) {
      return std::string("cannot give up privileges");
    }
    auto thread = BootstrappedThread::start({.lock_memory = false}, do_nothing, nullptr);
    if (!thread) {
      return std::string("not started");
    }
    thread.value().join();
    return thread.value().grant().policy + ": " + joined(thread.value().grant().degraded);
  });
  EXPECT_EQ(outcome.text,
            "other: SCHED_FIFO 80 refused (EPERM): needs CAP_SYS_NICE or an rtprio limit of at least 80 "
            "(ulimit -r is 0)\n");
}

// Moves the calling process into a cgroup of its own; a new one has no real-time budget.
bool enter_group_without_budget(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  std::ofstream(folder + "/cgroup.procs") << getpid() << std::flush;
  return !error && std::filesystem::exists(folder + "/cpu.rt_runtime_us");
}

TEST(BootstrappedThread, SaysThatTheCgroupHasNoBudget) {
  const std::string folder = "/sys/fs/cgroup/cpu/rtecho-unit-test";
  if (geteuid() != 0 || !std::filesystem::exists("/sys/fs/cgroup/cpu/cpu.rt_runtime_us")) {
    GTEST_SKIP() << "needs root, cgroup v1 and a kernel with RT_GROUP_SCHED";
  }
  const ChildOutcome outcome = run_in_child([&folder] {
    if (!enter_group_without_budget(folder)) {
      return std::string("no group");
    }
    auto thread = BootstrappedThread::start({.lock_memory = false}, do_nothing, nullptr);
    return thread ? joined(thread.value().grant().degraded) : std::string("not started");
  });
  std::filesystem::remove(folder);
  if (outcome.text == "no group") {
    GTEST_SKIP() << "cannot make a cgroup here";
  }
  EXPECT_EQ(outcome.text,
            "SCHED_FIFO 80 refused (EPERM): cgroup /rtecho-unit-test has no real-time budget; write one to "
            "cpu.rt_runtime_us at each level (Docker: --cpu-rt-runtime)\n");
}

TEST(BootstrappedThread, StartsUnpinnedWhenTheCoreCannotBeHad) {
  ThreadPlan plan = ordinary_plan();
  plan.cpu = 8000;
  auto thread = BootstrappedThread::start(plan, do_nothing, nullptr);
  ASSERT_TRUE(thread);
  const ThreadGrant& grant = thread.value().grant();
  ASSERT_EQ(grant.degraded.size(), 1U);
  EXPECT_TRUE(contains(grant.degraded[0], "cpu 8000 does not exist")) << grant.degraded[0];
  EXPECT_TRUE(contains(grant.degraded[0], "choose one of " + allowed_cpus_text())) << grant.degraded[0];
}

TEST(BootstrappedThread, SaysThatMemoryIsNotLocked) {
  ThreadPlan plan = ordinary_plan();
  plan.lock_memory = true;
  auto thread = BootstrappedThread::start(plan, do_nothing, nullptr);
  ASSERT_TRUE(thread);
  ASSERT_EQ(thread.value().grant().degraded.size(), 1U);
  EXPECT_TRUE(contains(thread.value().grant().degraded[0], "memory of the thread is not locked"));
  EXPECT_FALSE(thread.value().grant().memory_locked);
}

TEST(MemoryLock, CoversTheThreadsThatStartUnderIt) {
  if (geteuid() != 0 || mlockall_is_ignored) {
    GTEST_SKIP() << "needs root, and no sanitizer (they ignore mlockall)";
  }
  const ChildOutcome outcome = run_in_child([] {
    std::vector<std::string> degraded;
    const MemoryLock lock = MemoryLock::acquire(degraded);
    ThreadPlan plan = ordinary_plan();
    plan.lock_memory = true;
    auto thread = BootstrappedThread::start(plan, do_nothing, nullptr);
    if (!thread || !lock.held()) {
      return "not started or not held: " + joined(degraded);
    }
    const ThreadGrant& grant = thread.value().grant();
    return std::string(grant.memory_locked && grant.locked_bytes > std::uint64_t{256} * 1024 ? "locked "
                                                                                             : "not locked ") +
           joined(degraded) + joined(grant.degraded);
  });
  EXPECT_EQ(outcome.text, "locked ");
}

TEST(MemoryLock, IsReleasedAndCanBeTakenAgain) {
  if (geteuid() != 0 || mlockall_is_ignored) {
    GTEST_SKIP() << "needs root, and no sanitizer (they ignore mlockall)";
  }
  const ChildOutcome outcome = run_in_child([] {
    std::vector<std::string> degraded;
    { const MemoryLock lock = MemoryLock::acquire(degraded); }
    auto thread = BootstrappedThread::start(ordinary_plan(), do_nothing, nullptr);
    const bool released = thread && thread.value().grant().locked_bytes == 0;
    const MemoryLock again = MemoryLock::acquire(degraded);
    return std::string(released && again.held() && degraded.empty() ? "as claimed" : "otherwise");
  });
  EXPECT_EQ(outcome.text, "as claimed");
}

TEST(MemoryLock, SaysWhichLimitIsTooLow) {
  if (mlockall_is_ignored) {
    GTEST_SKIP() << "the sanitizers ignore mlockall";
  }
  const ChildOutcome outcome = run_in_child([] {
    const rlimit low{.rlim_cur = 65536, .rlim_max = 65536};
    if (setrlimit(RLIMIT_MEMLOCK, &low) != 0 || (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)) {
      return std::string("cannot give up privileges");
    }
    std::vector<std::string> degraded;
    const MemoryLock lock = MemoryLock::acquire(degraded);
    return (lock.held() ? "held " : "") + joined(degraded);
  });
  EXPECT_TRUE(contains(outcome.text, "memory lock refused (ENOMEM: ")) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "needs CAP_IPC_LOCK or a memlock limit above the ")) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "(ulimit -l is 64)\n")) << outcome.text;
}

TEST(MemoryLock, CanBeHeldOnceAtATime) {
  const ChildOutcome outcome = run_in_child([] {
    std::vector<std::string> degraded;
    const MemoryLock first = MemoryLock::acquire(degraded);
    if (!first.held()) {
      return std::string("not held");
    }
    const MemoryLock second = MemoryLock::acquire(degraded);
    return std::string("two locks");
  });
  if (outcome.text == "not held") {
    GTEST_SKIP() << "memory cannot be locked here";
  }
  EXPECT_NE(outcome.text, "two locks");
  EXPECT_FALSE(outcome.exited_cleanly);
}

TEST(CheckCpu, AcceptsACoreOfThisProcess) {
  EXPECT_TRUE(check_cpu(first_allowed_cpu()));
}

TEST(CheckCpu, RefusesCoresThatDoNotExist) {
  for (const int cpu : {-1, 8000, 1'000'000}) {
    const auto checked = check_cpu(cpu);
    ASSERT_FALSE(checked) << cpu;
    EXPECT_EQ(checked.error().status, Status::invalid);
  }
}

TEST(CheckCpu, SeesCoresThatTheThreadIsNotUsingAtTheMoment) {
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
    GTEST_SKIP() << "needs two cores";
  }
  const std::string all = allowed_cpus_text();
  cpu_set_t own{};
  sched_getaffinity(0, sizeof own, &own);
  cpu_set_t one{};
  CPU_SET(static_cast<std::size_t>(first_allowed_cpu()), &one);
  sched_setaffinity(0, sizeof one, &one);
  EXPECT_EQ(allowed_cpus_text(), all);
  cpu_set_t after{};
  sched_getaffinity(0, sizeof after, &after);
  EXPECT_TRUE(CPU_EQUAL(&after, &one));  // and puts the set back
  sched_setaffinity(0, sizeof own, &own);
}

}  // namespace
}  // namespace rtecho::platform

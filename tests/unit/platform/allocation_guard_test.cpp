#include "platform/allocation_guard.hpp"

#include <gtest/gtest.h>
#include <malloc.h>
#include <signal.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "child_process.hpp"

namespace rtecho::platform {
namespace {

// The optimiser may remove a pair of malloc and free whose memory nobody looks at.
void keep(void* memory) {
  asm volatile("" : : "r"(memory) : "memory");
}

// Heap calls of the armed piece. Where armed calls abort (RTECHO_ABORT_ON_ALLOCATION) the counting tests skip.
template <typename Act>
std::uint64_t calls_in(Act act) {
  const std::uint64_t before = allocation_guard::count();
  allocation_guard::arm();
  act();
  allocation_guard::disarm();
  return allocation_guard::count() - before;
}

// Decided by trying it in a child: the definition is the guard's, not this test's.
bool armed_calls_abort() {
  static const bool abort_seen = [] {
    const ChildOutcome outcome = run_in_child([] {
      fclose(stderr);
      close(STDERR_FILENO);
      calls_in([] {
        void* const memory = std::malloc(8);
        keep(memory);
        std::free(memory);
      });
      return std::string("counted");
    });
    return outcome.signal == SIGABRT;
  }();
  return abort_seen;
}

class AllocationGuard : public testing::Test {
 protected:
  void SetUp() override {
    if (!allocation_guard::available()) {
      GTEST_SKIP() << "heap calls are not wrapped under the sanitizers";
    }
  }
};

class CountingAllocationGuard : public AllocationGuard {
 protected:
  void SetUp() override {
    AllocationGuard::SetUp();
    if (!IsSkipped() && armed_calls_abort()) {
      GTEST_SKIP() << "armed heap calls abort in this build";
    }
  }
};

TEST_F(AllocationGuard, CountsNothingWhileDisarmed) {
  const std::uint64_t before = allocation_guard::count();
  const auto number = std::make_unique<int>(1);
  keep(number.get());
  EXPECT_EQ(allocation_guard::count() - before, 0U);
}

TEST_F(CountingAllocationGuard, CountsTheMallocFamily) {
  void* memory = nullptr;
  EXPECT_EQ(calls_in([&] {
              memory = std::malloc(8);
              keep(memory);
            }),
            1U);
  EXPECT_EQ(calls_in([&] {
              memory = std::realloc(memory, 100'000);
              keep(memory);
            }),
            1U);
  EXPECT_EQ(calls_in([&] { std::free(memory); }), 1U);
  EXPECT_EQ(calls_in([&] {
              memory = std::calloc(2, 8);
              keep(memory);
            }),
            1U);
  std::free(memory);
  EXPECT_EQ(calls_in([&] {
              memory = std::aligned_alloc(64, 128);
              keep(memory);
            }),
            1U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0U);
  std::free(memory);
  EXPECT_EQ(calls_in([&] { EXPECT_EQ(posix_memalign(&memory, 256, 8), 0); }), 1U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0U);
  std::free(memory);
  EXPECT_EQ(calls_in([&] {
              memory = memalign(512, 8);
              keep(memory);
            }),
            1U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 512, 0U);
  std::free(memory);
}

TEST_F(CountingAllocationGuard, CountsNewAndDelete) {
  struct alignas(128) Wide {
    char bytes[128];
  };
  int* number = nullptr;
  Wide* wide = nullptr;
  EXPECT_EQ(calls_in([&] {
              number = new int(1);
              keep(number);
            }),
            1U);
  EXPECT_EQ(calls_in([&] { delete number; }), 1U);
  EXPECT_EQ(calls_in([&] {
              wide = new Wide();
              keep(wide);
            }),
            1U);
  EXPECT_EQ(calls_in([&] { delete wide; }), 1U);
}

TEST_F(AllocationGuard, CountsNothingElse) {
  EXPECT_EQ(calls_in([] {
              std::free(nullptr);
              static_cast<void>(getpid());
              char text[64];
              std::snprintf(text, sizeof text, "%d", 42);
            }),
            0U);
}

TEST_F(AllocationGuard, CountsItsOwnThreadOnly) {
  std::atomic<int> turn{0};
  std::thread other([&turn] {
    while (turn.load() != 1) {
    }
    void* const memory = std::malloc(8);
    keep(memory);
    std::free(memory);
    turn.store(2);
  });
  EXPECT_EQ(calls_in([&turn] {
              turn.store(1);
              while (turn.load() != 2) {
              }
            }),
            0U);
  other.join();
}

TEST_F(AllocationGuard, RefusesAlignmentsAsPosixAsks) {
  void* memory = nullptr;
  EXPECT_EQ(posix_memalign(&memory, 24, 8), EINVAL);
  EXPECT_EQ(posix_memalign(&memory, 2, 8), EINVAL);
}

TEST_F(AllocationGuard, EndsTheProcessWhereItWasBuiltTo) {
  if (!armed_calls_abort()) {
    GTEST_SKIP() << "built without RTECHO_ABORT_ON_ALLOCATION";
  }
  const auto allocate = [] {
    const auto number = std::make_unique<int>(1);
    keep(number.get());
  };
  EXPECT_DEATH(calls_in(allocate), "rtecho: heap call on a thread with the allocation guard armed");
}

}  // namespace
}  // namespace rtecho::platform

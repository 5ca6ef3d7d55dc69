// How the measuring thread comes to life: what is asked (ThreadPlan), what the system gave (ThreadGrant, always
// read back, never assumed), and the memory lock around both.
//
// What is implemented here differs between the two builds of rtecho and is chosen at link time. The real-time
// build (rtecho_platform_realtime) goes after policy, priority, core and locked memory. The normal build
// (rtecho_platform_normal) knows none of them: it starts an ordinary thread and leaves memory to the system. Both
// take the thread's stack before the thread exists, block all signals in it and set its timer slack to 1 ns, so
// that the comparison is between schedulers and not between a careful and a careless program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rt_core/result.hpp"

namespace rtecho::platform {

// "realtime" or "normal": which of the two is linked into this program.
[[nodiscard]] const char* build_kind() noexcept;
[[nodiscard]] bool build_is_realtime() noexcept;

enum class SchedulingPolicy : std::uint8_t { fifo, other };

struct ThreadPlan {
  SchedulingPolicy policy = SchedulingPolicy::fifo;
  int priority = 80;         // of SCHED_FIFO, 1 … 99; leave 99 to the kernel's own threads
  std::optional<int> cpu{};  // none: the scheduler chooses
  bool lock_memory = true;   // the caller holds a MemoryLock; memory found unlocked is a shortfall
  std::size_t stack_bytes = std::size_t{256} * 1024;  // for the body alone; small, because it is resident
  const char* name = "rtecho";                        // static storage; the system keeps 15 characters of it
};

// What the new thread found when it asked the system about itself.
struct ThreadGrant {
  std::string policy;  // "fifo", "other", or the name of another policy of the system
  int priority = 0;    // 0 under ordinary policies
  std::vector<int> cpus;
  bool memory_locked = false;      // every private writable mapping of the process is locked
  std::uint64_t locked_bytes = 0;  // of the whole process
  // One sentence for each thing that was asked for and not given: what, why, and what to do.
  std::vector<std::string> degraded;
};

struct ThreadLaunch;  // platform/<os>/thread_launch.hpp

// Owner of a thread that has read its own grant back. Joined by its destructor at the latest: whoever owns it
// must have made the body return.
class BootstrappedThread {
 public:
  // Returns once the grant is there; the body runs from then on. A refused policy or core does not stop the
  // thread: it starts with what could be had, and the shortfall is in the grant. Errors: `invalid` for a priority
  // outside 1 … 99 or a stack too small for the system, `exhausted` for no memory or no thread left.
  static Result<BootstrappedThread> start(const ThreadPlan& plan, void (*body)(void*), void* argument);

  BootstrappedThread(BootstrappedThread&& other) noexcept;
  BootstrappedThread& operator=(BootstrappedThread&& other) noexcept;
  BootstrappedThread(const BootstrappedThread&) = delete;
  BootstrappedThread& operator=(const BootstrappedThread&) = delete;
  ~BootstrappedThread();

  // Stays readable after join().
  [[nodiscard]] const ThreadGrant& grant() const noexcept;
  // Blocks until the body has returned. A second call does nothing.
  void join() noexcept;

 private:
  struct State;

  explicit BootstrappedThread(std::unique_ptr<State> state) noexcept;
  static Result<BootstrappedThread> launch(ThreadLaunch launch);

  std::unique_ptr<State> state_;
};

// Keeps all memory of the process, present and future, resident until it is destroyed. The lock is the process's,
// so at most one may be held. Take it before mapping and before starting threads: mappings made under it are
// populated as they are made, also the 8 MiB stacks of ordinary threads. With RLIMIT_MEMLOCK below what the
// process will map, and without CAP_IPC_LOCK, later mappings fail: keep that capability while the lock is held.
// In the normal build it does nothing and says so by held().
class MemoryLock {
 public:
  // A refusal is one sentence added to `degraded`; the lock is then not held.
  static MemoryLock acquire(std::vector<std::string>& degraded);

  MemoryLock(MemoryLock&& other) noexcept : held_(std::exchange(other.held_, false)) {}
  MemoryLock& operator=(MemoryLock&& other) noexcept {
    if (this != &other) {
      release();
      held_ = std::exchange(other.held_, false);
    }
    return *this;
  }
  MemoryLock(const MemoryLock&) = delete;
  MemoryLock& operator=(const MemoryLock&) = delete;
  ~MemoryLock() { release(); }

  [[nodiscard]] bool held() const noexcept { return held_; }

 private:
  explicit MemoryLock(bool held) noexcept : held_(held) {}
  void release() noexcept;

  bool held_ = false;
};

// `invalid` for a core that does not exist or lies outside the process's cpuset. Cores isolated at boot are inside.
// Both calls widen the calling thread's set of cores for a moment to see what the kernel leaves of it: for ordinary
// threads, before a run.
Result<void> check_cpu(int cpu) noexcept;

// The cores that a thread of this process may be pinned to, as in "0-3,6".
[[nodiscard]] std::string allowed_cpus_text();

}  // namespace rtecho::platform

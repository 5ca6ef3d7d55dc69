#include <linux/capability.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <atomic>
#include <cerrno>

#include "../process_status.hpp"
#include "platform/bootstrap.hpp"
#include "platform/os_error.hpp"
#include "rt_core/assert.hpp"

namespace rtecho::platform {

namespace {

// The process has one lock, so this is the process's state: a second holder would lose it with the first.
std::atomic<bool> lock_is_taken{false};

// Memory that malloc gives back to the system comes back as page faults. One arena, because each further one
// reserves 64 MiB of address space that counts as locked. None of these settings can be undone or read back.
bool keep_heap_memory() noexcept {
  return mallopt(M_TRIM_THRESHOLD, -1) == 1 && mallopt(M_MMAP_MAX, 0) == 1 && mallopt(M_ARENA_MAX, 1) == 1;
}

std::string explain_lock_refusal(int code) {
  rlimit limit{};
  // Fails only for a wrong resource or pointer.
  getrlimit(RLIMIT_MEMLOCK, &limit);
  std::string text = "memory lock refused (" + os_error_text(code) + ")";
  if (!has_effective_capability(CAP_IPC_LOCK) && limit.rlim_cur != RLIM_INFINITY) {
    text += ": needs CAP_IPC_LOCK or a memlock limit above the " +
            std::to_string(read_locked_memory().mapped_bytes / 1024) + " kB that are mapped (ulimit -l is " +
            std::to_string(limit.rlim_cur / 1024) + ")";
  } else {
    text += ": privilege and limit are there, so memory is short or a security module forbids it";
  }
  return text;
}

}  // namespace

MemoryLock MemoryLock::acquire(std::vector<std::string>& degraded) {
  RTECHO_ASSERT(!lock_is_taken.exchange(true));
  MemoryLock lock(true);
  if (!keep_heap_memory()) {
    degraded.emplace_back("malloc refused to keep its memory (mallopt): link the program with glibc's malloc");
  }
  // khugepaged remaps pages while it collapses them, and the next touch is a fault.
  if (prctl(PR_SET_THP_DISABLE, 1UL, 0UL, 0UL, 0UL) != 0 || prctl(PR_GET_THP_DISABLE, 0UL, 0UL, 0UL, 0UL) != 1) {
    degraded.emplace_back("transparent huge pages stay on: write never to /sys/kernel/mm/transparent_hugepage/enabled");
  }
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
    degraded.push_back(explain_lock_refusal(errno));
    lock.release();
    lock.held_ = false;
    return lock;
  }
  const LockedMemory memory = read_locked_memory();
  if (!memory.covers_everything()) {
    degraded.push_back("memory lock was accepted, but only " + std::to_string(memory.locked_bytes / 1024) + " of " +
                       std::to_string(memory.private_writable_bytes / 1024) +
                       " kB are locked (VmLck, VmData): the kernel or a sanitizer ignores mlockall");
  }
  return lock;
}

void MemoryLock::release() noexcept {
  if (!held_) {
    return;
  }
  // Neither fails with these arguments, and there is nothing to be done if one did.
  munlockall();
  prctl(PR_SET_THP_DISABLE, 0UL, 0UL, 0UL, 0UL);
  lock_is_taken.store(false);
}

}  // namespace rtecho::platform

// The one way in which a program is asked to stop: SIGINT, SIGTERM, SIGHUP, or the program itself. The loop reads
// an atomic; event loops wait on a descriptor. SIGPIPE is ignored meanwhile: a peer that went away is an error of
// the write, not the end of the process.
#pragma once

#include <atomic>

#include "rt_core/limits.hpp"
#include "rt_core/result.hpp"

namespace rtecho::platform {

// Signals belong to the process, so at most one StopFlag may be installed. Destroying it puts the former handlers
// back. A SIGHUP that was ignored when the program started (nohup) stays ignored.
class StopFlag {
 public:
  static Result<StopFlag> install() noexcept;

  StopFlag(StopFlag&& other) noexcept;
  StopFlag& operator=(StopFlag&&) = delete;
  StopFlag(const StopFlag&) = delete;
  StopFlag& operator=(const StopFlag&) = delete;
  ~StopFlag();

  // One relaxed load: cheap enough for every step.
  [[nodiscard]] bool requested() const noexcept { return request_.made.load(std::memory_order_relaxed); }
  // The first signal that asked, 0 where none did.
  [[nodiscard]] int signal_number() const noexcept;
  // Readable from the first request on, and for good. Wait on it, do not read from it.
  [[nodiscard]] int wake_descriptor() const noexcept;
  // May be called from any thread.
  void request() noexcept;

 private:
  StopFlag() = default;
  static void on_signal(int signal_number) noexcept;
  static void set(int signal_number) noexcept;

  // A line of its own, because the loop reads it at every step and nobody may slow that down.
  struct alignas(limits::cache_line_bytes) Request {
    std::atomic<bool> made;  // false: C++20 initialises atomics
  };
  // Static, because a signal handler can reach nothing else.
  static inline Request request_;
  static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
                "a signal handler must not take a lock");

  bool owner_ = true;
};

}  // namespace rtecho::platform

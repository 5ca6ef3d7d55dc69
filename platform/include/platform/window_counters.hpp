// The ledger of a measured window: what the system did to the measuring thread between two samples. The thread
// itself takes the samples at the edges of its batches; differences are summed over batches, so that rests stay
// out. A value that the system does not tell is absent with its reason, never 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/descriptor.hpp"
#include "rt_core/assert.hpp"

namespace rtecho::platform {

// A counter's value, or why there is none.
class CounterReading {
 public:
  constexpr CounterReading() = default;
  explicit constexpr CounterReading(std::uint64_t value) : value_(value) {}
  // `reason` must have static storage.
  static constexpr CounterReading absent(const char* reason) {
    CounterReading reading;
    reading.absent_reason_ = reason;
    return reading;
  }

  [[nodiscard]] constexpr bool present() const { return absent_reason_ == nullptr; }
  [[nodiscard]] constexpr std::uint64_t value() const {
    RTECHO_ASSERT(present());
    return value_;
  }
  // Null where the value is present.
  [[nodiscard]] constexpr const char* absent_reason() const { return absent_reason_; }

  // What is absent on one side is absent in the result.
  friend constexpr CounterReading operator+(CounterReading a, CounterReading b) {
    return a.present() && b.present() ? CounterReading(a.value_ + b.value_) : absent(first_reason(a, b));
  }
  // A system counter that ran backwards (steal does on some hypervisors) gives 0.
  friend constexpr CounterReading operator-(CounterReading a, CounterReading b) {
    return a.present() && b.present() ? CounterReading(a.value_ > b.value_ ? a.value_ - b.value_ : 0)
                                      : absent(first_reason(a, b));
  }

 private:
  static constexpr const char* first_reason(CounterReading a, CounterReading b) {
    return a.present() ? b.absent_reason_ : a.absent_reason_;
  }

  std::uint64_t value_ = 0;
  const char* absent_reason_ = nullptr;
};

// Every counter is of the sampling thread, but the last two, which are of the core it is pinned to.
struct WindowSample {
  CounterReading heap_allocations;
  CounterReading minor_faults;
  CounterReading major_faults;
  CounterReading voluntary_switches;
  CounterReading involuntary_switches;
  CounterReading migrations;
  CounterReading interrupts;  // all rows of /proc/interrupts: devices, timer ticks, calls from other cores
  CounterReading steal_ns;    // the system counts it in ticks, usually of 10 ms
};

// What happened between two samples of the same kind: later - earlier.
[[nodiscard]] WindowSample operator-(const WindowSample& later, const WindowSample& earlier) noexcept;
// The sum over batches starts from a WindowSample{}, whose counters are all 0.
WindowSample& operator+=(WindowSample& sum, const WindowSample& window) noexcept;

class WindowCounters {
 public:
  // Called in the thread that will sample, before its loop: opens the files, takes the buffer. `cpu` is the core
  // the thread is pinned to; without one, interrupts and steal have no meaning and are absent. `root` stands
  // before every path, for tests.
  static WindowCounters open(std::optional<int> cpu, const std::string& root = "/");

  // One getrusage call, about 1 us. The counters that only sample_full() reads are absent.
  [[nodiscard]] WindowSample sample_light() const noexcept;
  // Reads three files of /proc as well, about 40 us with 2 cores and more with many: for batch edges, not for steps.
  // Allocates nothing.
  [[nodiscard]] WindowSample sample_full() noexcept;

 private:
  WindowCounters() = default;
  [[nodiscard]] CounterReading read_migrations() noexcept;
  [[nodiscard]] CounterReading read_interrupts() noexcept;
  [[nodiscard]] CounterReading read_steal() noexcept;

  std::optional<int> cpu_;
  Descriptor scheduling_;  // /proc/thread-self/sched
  Descriptor interrupts_;  // /proc/interrupts
  Descriptor statistics_;  // /proc/stat
  std::vector<char> buffer_;
  std::uint64_t tick_ns_ = 0;
};

}  // namespace rtecho::platform

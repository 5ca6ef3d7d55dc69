// What a step has to tell ordinary threads, in fixed memory. The run loop drains it after the step into the
// channel; full means counted and dropped, never waited for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rt_core/limits.hpp"
#include "rt_core/time.hpp"

namespace rtecho {

enum class EventKind : std::uint8_t {
  gap,      // send = end of the gap, value_ns = its length
  outlier,  // a message that entered the list of the slowest
  sample,   // any answered message, where every sample is wanted
  batch,    // a batch ended: sequence = recorded messages so far, value_ns = maximum so far
};

// What a message was sent for.
enum class MessageClass : std::uint8_t { warmup, resume, recorded };

// One cache line.
struct alignas(limits::cache_line_bytes) Event {
  EventKind kind = EventKind::gap;
  MessageClass message_class = MessageClass::recorded;
  bool late = false;
  std::uint64_t sequence = 0;
  std::int64_t value_ns = 0;
  Instant intended{};
  Instant send{};
  Instant server_receive{};
  Instant server_send{};
  Instant receive{};
};
static_assert(sizeof(Event) == limits::cache_line_bytes);

class EventLog {
 public:
  void add(const Event& event) {
    if (size_ == events_.size()) {
      ++dropped_;
      return;
    }
    events_[size_++] = event;
  }
  [[nodiscard]] std::span<const Event> pending() const { return std::span(events_).first(size_); }
  void clear() { size_ = 0; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  std::array<Event, limits::event_log_capacity> events_{};
  std::size_t size_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace rtecho

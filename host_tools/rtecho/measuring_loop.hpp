// The two loops that run in the measuring thread: step, sample the machine's counters at the edges of windows, hand
// events on, wait. Everything they use exists before they start; they return when they are told to stop or done.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "platform/allocation_guard.hpp"
#include "platform/channel.hpp"
#include "platform/stop_flag.hpp"
#include "platform/window_counters.hpp"
#include "rt_core/echo_client.hpp"
#include "rt_core/echo_server.hpp"
#include "rt_core/idle_watch.hpp"

namespace rtecho::pair {

using EventChannel = platform::Channel<Event, limits::channel_capacity>;

// No wait is longer, so that a stop is seen in time.
inline constexpr Duration longest_wait = Duration::from_ms(20);

// What the loop leaves behind besides the records of its client or server.
struct LoopRecord {
  platform::WindowSample windows;  // summed over the batches
  std::uint64_t blocked_waits = 0;
};

// The allocation guard is armed and the counters run between open() and close().
class Window {
 public:
  void open(const platform::WindowSample& sample) {
    begin_ = sample;
    platform::allocation_guard::arm();
  }
  void close(const platform::WindowSample& sample, platform::WindowSample& sum) {
    platform::allocation_guard::disarm();
    if (begin_) {
      sum += sample - *begin_;
      begin_.reset();
    }
  }
  [[nodiscard]] bool is_open() const { return begin_.has_value(); }

 private:
  std::optional<platform::WindowSample> begin_;
};

// A full channel has counted what it dropped.
inline void hand_on(EventLog& events, EventChannel& channel) {
  for (const Event& event : events.pending()) {
    channel.push(event);
  }
  events.clear();
}

// Until the series is done, the user stops it, or `abandon` says that the peer is gone.
template <MessagePort Port>
void run_client_loop(EchoClient<Port>& client, Port& port, const WaitPlan& wait, std::optional<int> cpu,
                     const platform::StopFlag& stop, const std::atomic<bool>& abandon, EventChannel& channel,
                     LoopRecord& record) {
  platform::WindowCounters counters = platform::WindowCounters::open(cpu);
  IdleWatch idle(wait);
  Window window;
  platform::CounterReading own_switches;  // of a spinner that gave up spinning: blocked_waits counts those
  while (!client.done()) {
    if (stop.requested()) {
      client.interrupt();
      break;
    }
    const ClientStep step = client.step();
    if (step.edge == BatchEdge::began) {
      window.open(counters.sample_full());
      client.pause();
    } else if (step.edge == BatchEdge::ended) {
      window.close(counters.sample_full(), record.windows);
      client.pause();
    }
    hand_on(client.events(), channel);
    const bool idle_too_long = idle.should_wait(step.worked || step.resting, step.now);
    if (step.resting || idle_too_long) {
      client.pause();
      const platform::WindowSample before = counters.sample_light();
      port.wait(earlier(client.next_due(), step.now + longest_wait));
      if (wait.mode == WaitMode::spin && window.is_open()) {
        own_switches = own_switches + (counters.sample_light() - before).voluntary_switches;
      }
    }
    if (!step.worked && (port.health() != PortHealth::open || abandon.load(std::memory_order_relaxed))) {
      client.abandon();
    }
  }
  if (window.is_open()) {
    window.close(counters.sample_full(), record.windows);
  }
  hand_on(client.events(), channel);
  record.windows.voluntary_switches = record.windows.voluntary_switches - own_switches;
  record.blocked_waits = idle.blocked_waits();
}

// A server does not know where the client's batches end. Where it spins, a window is what lies between two waits
// that its idle limit made it take; what is counted per core, and migrations, are of the whole series, because
// reading them costs too much between a request and its reply.
template <MessagePort Port>
void run_server_loop(EchoServer<Port>& server, Port& port, const WaitPlan& wait, std::optional<int> cpu,
                     const std::atomic<bool>& stop, LoopRecord& record) {
  platform::WindowCounters counters = platform::WindowCounters::open(cpu);
  IdleWatch idle(wait);
  Window window;
  const platform::WindowSample began = counters.sample_full();
  while (!stop.load(std::memory_order_relaxed)) {
    const ServerStep step = server.step();
    if (idle.should_wait(step.arrivals != 0, step.now)) {
      if (wait.mode == WaitMode::spin && window.is_open()) {
        window.close(counters.sample_light(), record.windows);
      }
      server.pause();
      port.wait(step.now + longest_wait);
    } else if (!window.is_open() && step.arrivals != 0) {
      window.open(counters.sample_light());
    }
    if (step.arrivals == 0 && port.health() != PortHealth::open) {
      break;
    }
    if (server.desynchronised()) {
      break;
    }
  }
  if (window.is_open()) {
    window.close(counters.sample_light(), record.windows);
  }
  const platform::WindowSample whole = counters.sample_full() - began;
  record.windows.migrations = whole.migrations;
  record.windows.interrupts = whole.interrupts;
  record.windows.steal_ns = whole.steal_ns;
  record.blocked_waits = idle.blocked_waits();
}

}  // namespace rtecho::pair

// The channel within one thread: the instructions of a push and of a pop, without the cache lines that travel between
// two cores.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <memory>

#include "platform/channel.hpp"
#include "rt_core/event_log.hpp"

namespace {

constexpr std::size_t capacity = 1'024;
using EventChannel = rtecho::platform::Channel<rtecho::Event, capacity>;

void channel_push_and_pop(benchmark::State& state) {
  const auto channel = std::make_unique<EventChannel>();
  rtecho::Event event;
  for (auto _ : state) {
    const bool passed = channel->push(event) && channel->pop(event);
    benchmark::DoNotOptimize(passed);
  }
  if (channel->dropped() != 0) {
    state.SkipWithError("a channel that was empty dropped an element");
  }
}
BENCHMARK(channel_push_and_pop);

// The worst case of a push: its loop goes on, and the loss is counted.
void channel_push_when_full(benchmark::State& state) {
  const auto channel = std::make_unique<EventChannel>();
  const rtecho::Event event;
  while (channel->push(event)) {
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(channel->push(event));
  }
}
BENCHMARK(channel_push_when_full);

}  // namespace

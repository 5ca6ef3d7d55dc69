#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>

#include "echo_rig.hpp"
#include "platform/clock.hpp"

namespace {

using rtecho::bench::EchoRig;

// The unit that the cost of an echo is given in: five of these are part of each echo.
void clock_read(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(rtecho::platform::MonotonicClock::now());
  }
}
BENCHMARK(clock_read);

void whole_echo(benchmark::State& state) {
  const auto rig = std::make_unique<EchoRig>(static_cast<std::uint32_t>(state.range(0)), rtecho::bench::without_end);
  for (auto _ : state) {
    rig->turn();
  }
  if (!rig->client().done() && rig->client().record().accounting.answered != 0) {
    return;
  }
  state.SkipWithError("the series ended, or nothing was answered");
}
BENCHMARK(whole_echo)->ArgName("bytes")->Arg(64)->Arg(16)->Arg(1)->Arg(1'472);

}  // namespace

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "rt_core/histogram.hpp"
#include "rt_core/time.hpp"

namespace {

using rtecho::Duration;
using rtecho::Histogram;

// Round trips as a spinning pair has them: 20 to 84 µs, in no order that a branch predictor could learn.
constexpr std::size_t value_count = 4'096;

std::array<Duration, value_count> round_trips() {
  std::array<Duration, value_count> values;
  std::uint64_t state = 1;
  for (Duration& value : values) {
    state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;  // Knuth, MMIX
    value = Duration::from_ns(static_cast<std::int64_t>(20'000 + (state >> 48U)));
  }
  return values;
}

void histogram_record(benchmark::State& state) {
  const auto histogram = std::make_unique<Histogram>();
  const std::array<Duration, value_count> values = round_trips();
  std::uint64_t sequence = 0;
  for (auto _ : state) {
    histogram->record(values[sequence % value_count], sequence);
    ++sequence;
  }
  benchmark::DoNotOptimize(histogram->n());
}
BENCHMARK(histogram_record);

}  // namespace

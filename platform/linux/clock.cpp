#include "platform/clock.hpp"

#include <time.h>

#include <array>

namespace rtecho::platform {

namespace {
constexpr std::int64_t ns_per_s = 1'000'000'000;
}

Instant MonotonicClock::now() noexcept {
  // Cannot fail: the clock exists on every Linux and the pointer is ours. So nothing is read that was not written, and
  // to initialise it would be two instructions of every clock read.
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return Instant::from_ns(time.tv_sec * ns_per_s + time.tv_nsec);
}

void sleep_until(Instant until) noexcept {
  // An early return by a signal, and EINVAL for an instant before boot, are both "returns at once".
  const timespec time{.tv_sec = until.ns() / ns_per_s, .tv_nsec = until.ns() % ns_per_s};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
}

Duration wall_clock_offset() noexcept {
  timespec wall{};
  clock_gettime(CLOCK_REALTIME, &wall);
  const Instant now = MonotonicClock::now();
  return Duration::from_ns(wall.tv_sec * ns_per_s + wall.tv_nsec - now.ns());
}

std::string utc_now_rfc3339() {
  const time_t now = time(nullptr);
  tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t length = strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), length};
}

}  // namespace rtecho::platform

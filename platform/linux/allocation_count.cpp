#include "allocation_count.hpp"

#include "platform/allocation_guard.hpp"

namespace rtecho::platform::allocation_guard {

namespace {

// Both constant-initialised, so that heap calls made before main find them ready.
constinit bool calls_are_wrapped = false;
struct ThreadCounter {
  bool armed = false;
  std::uint64_t heap_calls = 0;
};
constinit thread_local ThreadCounter counter;

}  // namespace

bool available() noexcept {
  return calls_are_wrapped;
}
void arm() noexcept {
  counter.armed = true;
}
void disarm() noexcept {
  counter.armed = false;
}
std::uint64_t count() noexcept {
  return counter.heap_calls;
}

bool count_heap_call() noexcept {
  counter.heap_calls += counter.armed ? 1 : 0;
  return counter.armed;
}

void announce_wrapped_calls() noexcept {
  calls_are_wrapped = true;
}

}  // namespace rtecho::platform::allocation_guard

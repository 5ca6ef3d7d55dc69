// Between the counters, which are in rtecho_platform, and the wrapped heap calls, which a program may link.
#pragma once

namespace rtecho::platform::allocation_guard {

// Called by each wrapped heap call: adds one where the calling thread is armed, and says whether it is. Out of line,
// so that the wrapped calls need no access to the counters.
bool count_heap_call() noexcept;

// Called once, before main, by the wrapped calls: they are linked into this program.
void announce_wrapped_calls() noexcept;

}  // namespace rtecho::platform::allocation_guard

// Counts the heap calls of a thread while it is armed: the proof that a loop allocates nothing. The counters live
// in rtecho_platform; what bumps them is the object library rtecho_allocation_guard, which a program links to have
// malloc and its family (and with them operator new and delete) wrapped. Under the sanitizers, which wrap them
// too, it is left out. Built with RTECHO_ABORT_ON_ALLOCATION, an armed heap call ends the process.
#pragma once

#include <cstdint>

namespace rtecho::platform::allocation_guard {

// Whether heap calls are seen at all in this program. Where not, count() stays 0 and means nothing.
[[nodiscard]] bool available() noexcept;

// For the calling thread, from now on. Arming twice is the same as once.
void arm() noexcept;
void disarm() noexcept;

// Heap calls that the calling thread ever made while armed; freeing counts, freeing null does not.
[[nodiscard]] std::uint64_t count() noexcept;

}  // namespace rtecho::platform::allocation_guard

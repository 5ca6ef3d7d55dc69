// Readiness for scripts (--ready-fd): one line "ready ADDRESS PORT" on a descriptor that the caller opened.
#pragma once

#include <cstdint>
#include <string>

namespace rtecho::pair {

// A negative descriptor: nobody waits. Throws ProgramFailure where it cannot be written to.
void announce_ready(int descriptor, const std::string& address, std::uint16_t port);

}  // namespace rtecho::pair

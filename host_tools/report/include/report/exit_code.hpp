// The exit codes of all rtecho programs. Where several apply, the order is 3, 5, 130, 1, 4.
#pragma once

#include <cstdint>

namespace rtecho::report {

enum class ExitCode : std::uint8_t {
  clean = 0,
  verdict_negative = 1,  // ran: loss, corruption, broken bound
  usage = 2,             // options, or a file whose content makes no sense
  machine_refused = 3,   // privilege, port, interface, file
  not_reliable = 4,      // ran, but degraded or with too few samples
  peer_absent = 5,       // absent, refusing, busy, of another version, lost in mid-run
  interrupted = 130,
};

}  // namespace rtecho::report

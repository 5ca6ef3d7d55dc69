// A server that was told everything beforehand (--no-control): one size, one session, raw Ethernet, no control channel
// and no address. For links of layer 2 only.
#pragma once

#include "options.hpp"
#include "platform/stop_flag.hpp"
#include "report/exit_code.hpp"

namespace rtecho::pair {

// Answers until it is stopped, or --for is over; then says what it saw. The network namespace is entered already.
// Throws ProgramFailure.
[[nodiscard]] report::ExitCode run_uncontrolled_server(const ServerOptions& options, const platform::StopFlag& stop);

}  // namespace rtecho::pair

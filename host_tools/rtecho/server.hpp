// `rtecho server`: from its options to its end.
#pragma once

#include "options.hpp"

namespace rtecho::pair {

// Throws ProgramFailure where the machine refuses.
report::ExitCode run_server(const ServerOptions& options);

}  // namespace rtecho::pair

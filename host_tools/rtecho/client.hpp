// `rtecho client`: from its options to its end.
#pragma once

#include "options.hpp"

namespace rtecho::pair {

// Throws ProgramFailure where nothing could be measured. Where something was, the run file is written first.
report::ExitCode run_client(const ClientOptions& options);

}  // namespace rtecho::pair

// One run as a table for a person: a row per series, times in us, and the sentences that belong to it.
#pragma once

#include <string>

#include "report/run_file.hpp"

namespace rtecho::report {

// Ends with a newline. Says DEGRADED with the reasons, warnings, and what a ping-pong's maximum leaves out.
[[nodiscard]] std::string series_table(const RunFile& run);

}  // namespace rtecho::report

// What a campaign does with its run files at the end: `rtecho-host compare` and `rtecho-host check`, started as
// children of this very program, so that the campaign prints and judges exactly as its user can by hand.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/stop_flag.hpp"
#include "rtecho_host/exit_codes.hpp"

namespace rtecho::host {

using RunFiles = std::vector<std::filesystem::path>;

// Both print on our stdout, return the exit code of the command, and throw ProgramFailure (interrupted) after a
// request to stop.

ExitCode print_comparison(const RunFiles& files, const std::optional<std::string>& reference,
                          const platform::StopFlag& stop);

// `baseline` may be empty.
ExitCode check_bounds(const RunFiles& files, const std::filesystem::path& bounds, const RunFiles& baseline,
                      const platform::StopFlag& stop);

}  // namespace rtecho::host

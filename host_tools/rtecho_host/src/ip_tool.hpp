// Runs the `ip` command of iproute2.
#pragma once

#include <string>
#include <vector>

namespace rtecho::host {

// Returns what ip printed. Throws ProgramFailure (machine_refused): the command, what ip said, and `advice`. Not
// interruptible: ip takes milliseconds, and one that is killed half-way may leave a namespace's name without its
// namespace.
std::string run_ip(std::vector<std::string> arguments, const std::string& advice);

}  // namespace rtecho::host

// What a run says about itself, without a bounds file: may it be relied on, did anything get lost, was a promise of
// determinism broken.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/exit_code.hpp"
#include "report/run_file.hpp"

namespace rtecho::report {

// verdict_negative: more lost than allowed in a series, anything corrupt, sums that do not agree; with `strict` also
// a broken promise. not_reliable: degraded at either end, or a warning. Else clean.
[[nodiscard]] ExitCode exit_code_of(const RunFile& run, std::uint64_t allowed_loss, bool strict);

// The promises of a real-time run that were broken in its measured windows: heap calls, page faults, and voluntary
// context switches of ends that spin. One sentence each.
[[nodiscard]] std::vector<std::string> broken_promises(const RunFile& run);

// Sums that do not agree (the accounting equations), one sentence each.
[[nodiscard]] std::vector<std::string> broken_equations(const RunFile& run);

// A small message carries few sequence bits, and a reply that met the wrong request shows as an impossible minimum:
// below a quarter of the fastest message of 64 bytes or more, in a series where a reply was late, lost or doubled
// (where none was, no reply can have met the wrong request). Each becomes a warning of the run.
void note_suspicious_minima(RunFile& run);

}  // namespace rtecho::report

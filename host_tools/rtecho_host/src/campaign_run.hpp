// One run of a campaign: start a server, wait until it listens, run a client against it, stop the server.
#pragma once

#include <filesystem>

#include "platform/stop_flag.hpp"
#include "rtecho_host/campaign_file.hpp"
#include "rtecho_host/campaign_plan.hpp"
#include "rtecho_host/exit_codes.hpp"

namespace rtecho::host {

// What all runs of a campaign share.
struct RunSite {
  const Campaign& campaign;
  std::filesystem::path programs;  // the folder of rtecho and rtecho-gpos
  const platform::StopFlag& stop;
};

// Blocks until the run is over; both programs have ended then, whatever happened. Returns how it ended where the
// client has written a complete run file to `run_file`: clean, verdict_negative or not_reliable. Otherwise throws
// ProgramFailure: with the exit code of the program that could not go on, peer_absent for one that hung or crashed,
// interrupted after a request to stop (a partial run file may be there).
ExitCode perform_run(const RunSite& site, const PlannedRun& run, const std::filesystem::path& run_file);

}  // namespace rtecho::host

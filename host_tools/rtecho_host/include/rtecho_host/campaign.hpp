// Runs a campaign file from link up to judgement, and leaves nothing behind but its folder.
#pragma once

#include <filesystem>

#include "rtecho_host/exit_codes.hpp"

namespace rtecho::host {

struct CampaignRequest {
  std::filesystem::path file;
  std::filesystem::path out;       // folder of the run files
  std::filesystem::path programs;  // folder of rtecho and rtecho-gpos
  bool keep_going = false;         // a run that fails does not end the campaign
  bool restart = false;            // throw away the finished runs of an earlier start
};

// Talks on stderr, prints the judgement on stdout. Returns the gravest of what runs and judgement said; throws
// ProgramFailure where the campaign cannot go on. Whatever happens, its children are stopped and a link that it made
// is taken down.
ExitCode run_campaign(const CampaignRequest& request);

}  // namespace rtecho::host

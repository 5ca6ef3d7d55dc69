#include "campaign_command.hpp"

#include <filesystem>
#include <memory>

#include "rtecho_host/campaign.hpp"

namespace rtecho::host {

void add_campaign_command(CLI::App& app, int& exit_code) {
  auto request = std::make_shared<CampaignRequest>();
  CLI::App* campaign = app.add_subcommand("campaign", "Run the measurements that a file describes, and judge them");
  campaign->add_option("file", request->file, "Campaign file (docs/campaigns.md)")->required();
  campaign->add_option("--out", request->out, "Folder of the run files; default: the file's name with -results, here");
  campaign->add_option("--programs", request->programs,
                       "Folder of rtecho and rtecho-gpos; default: beside this program");
  campaign->add_flag("--keep-going", request->keep_going, "Go on after a run that failed");
  campaign->add_flag("--restart", request->restart, "Remove the runs that an earlier start finished in the folder");
  campaign->callback([request, &exit_code] {
    if (request->out.empty()) {
      request->out = request->file.stem().string() + "-results";
    }
    if (request->programs.empty()) {
      request->programs = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    }
    exit_code = static_cast<int>(run_campaign(*request));
  });
}

}  // namespace rtecho::host

// The folder of a campaign: one run file per finished run, and campaign.json, which says of which campaign they are.
// A run is finished when it is listed there and its file holds what was planned; so a campaign that was stopped, by
// whatever means, can be continued.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "report/run_file.hpp"
#include "rtecho_host/campaign_file.hpp"
#include "rtecho_host/campaign_plan.hpp"
#include "rtecho_host/exit_codes.hpp"

namespace rtecho::host {

// Whether a run file holds the run that was planned: complete, of this build and label, with a series of each size.
[[nodiscard]] bool holds_planned_run(const report::RunFile& run_file, const Campaign& campaign, const PlannedRun& run);

class CampaignStore {
 public:
  // Opens or makes the folder. `campaign` must outlive the store. Throws ProgramFailure: usage where the folder holds
  // the runs of another campaign, machine_refused where it cannot be read or written. With `restart` the runs that
  // campaign.json lists are removed first.
  // campaign.json keeps the text of the campaign file itself rather than a digest: so the folder also says what was
  // run.
  CampaignStore(std::filesystem::path folder, const Campaign& campaign, const std::string& campaign_text, bool restart);

  [[nodiscard]] bool has_finished(const PlannedRun& run) const;
  [[nodiscard]] std::filesystem::path run_file(const PlannedRun& run) const;
  // Where the client writes; what stays there is not finished.
  [[nodiscard]] std::filesystem::path partial_run_file(const PlannedRun& run) const;

  // Gives the file of a run that ended its final name and lists it. Throws ProgramFailure (not_reliable) when the
  // file is not what was planned.
  void keep(const PlannedRun& run, ExitCode exit_code);
  void record_load(const std::string& command, const std::string& version);

  // The gravest exit code of the runs listed.
  [[nodiscard]] ExitCode gravest_exit_code() const;

 private:
  void read(const std::string& campaign_text, bool restart);
  void remove_runs(const nlohmann::json& earlier) const;
  void save() const;

  std::filesystem::path folder_;
  const Campaign& campaign_;
  nlohmann::json contents_;
};

}  // namespace rtecho::host

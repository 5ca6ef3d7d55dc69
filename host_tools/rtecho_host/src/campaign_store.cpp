#include "rtecho_host/campaign_store.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/text_file.hpp"

namespace rtecho::host {
namespace {

constexpr const char* campaign_schema = "rtecho.campaign/1";

bool is_run_record(const nlohmann::json& run) {
  return run.is_object() && run.value("file", nlohmann::json()).is_string() &&
         run.value("exit_code", nlohmann::json()).is_number_integer();
}

// The folder may hold anything, and the record may have been edited.
bool is_campaign_record(const nlohmann::json& record) {
  if (!record.is_object() || record.value("schema", nlohmann::json()) != campaign_schema) {
    return false;
  }
  const nlohmann::json runs = record.value("runs", nlohmann::json());
  return runs.is_array() && std::all_of(runs.begin(), runs.end(), is_run_record);
}

}  // namespace

bool holds_planned_run(const report::RunFile& run_file, const Campaign& campaign, const PlannedRun& run) {
  const Variant& variant = campaign.variants[run.variant];
  const char* build = variant.program == "rtecho" ? "realtime" : "normal";
  const auto has_series = [&](std::uint32_t size) {
    return std::any_of(run_file.series.begin(), run_file.series.end(),
                       [&](const report::SeriesRecord& series) {
                         return series.protocol == name_of(run.protocol) && series.message_bytes == size;
                       }) ||
           run_file.notes.count(report::untestable_key(name_of(run.protocol), size)) != 0;
  };
  // The published sizes are the client's business: its run is complete, so they are there.
  return run_file.complete && run_file.tool.build == build && run_file.label == variant.name &&
         std::all_of(campaign.sizes.begin(), campaign.sizes.end(), has_series);
}

CampaignStore::CampaignStore(std::filesystem::path folder, const Campaign& campaign, const std::string& campaign_text,
                             bool restart)
    : folder_(std::move(folder)), campaign_(campaign) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) {
    throw ProgramFailure(ExitCode::machine_refused,
                         fmt::format("make folder {}: {}; choose another --out", folder_.string(), error.message()));
  }
  read(campaign_text, restart);
  save();
}

void CampaignStore::read(const std::string& campaign_text, bool restart) {
  const std::filesystem::path path = folder_ / "campaign.json";
  contents_ = {
      {"schema", campaign_schema}, {"campaign", campaign_text}, {"load", nullptr}, {"runs", nlohmann::json::array()}};
  if (!std::filesystem::exists(path)) {
    return;
  }
  const report::Outcome<std::string> text = report::read_text_file(path.string());
  if (!text) {
    throw ProgramFailure(ExitCode::machine_refused, text.failure().sentence);
  }
  const nlohmann::json earlier = nlohmann::json::parse(text.value(), nullptr, false);
  if (!is_campaign_record(earlier)) {
    throw ProgramFailure(
        ExitCode::usage,
        fmt::format("continue {}: it is no record of a campaign; choose another --out", path.string()));
  }
  if (restart) {
    remove_runs(earlier);
  } else if (earlier.value("campaign", nlohmann::json()) != campaign_text) {
    throw ProgramFailure(ExitCode::usage,
                         fmt::format("continue {}: its runs are of another campaign, or this file has changed since; "
                                     "choose another --out, or --restart to remove them",
                                     folder_.string()));
  } else {
    contents_ = earlier;
  }
}

void CampaignStore::remove_runs(const nlohmann::json& earlier) const {
  for (const nlohmann::json& run : earlier.at("runs")) {
    // Only the last part of the name: an edited record must not reach outside the folder.
    const std::filesystem::path name = run.at("file").get<std::string>();
    std::error_code error;  // what cannot be removed is overwritten later, or refused there with a reason
    std::filesystem::remove(folder_ / name.filename(), error);
  }
}

bool CampaignStore::has_finished(const PlannedRun& run) const {
  const std::filesystem::path path = run_file(run);
  const nlohmann::json& runs = contents_.at("runs");
  const auto is_listed = [&](const nlohmann::json& listed) { return listed.at("file") == path.filename().string(); };
  if (std::none_of(runs.begin(), runs.end(), is_listed)) {
    return false;
  }
  const report::Outcome<report::RunFile> file = report::read_run_file(path.string());
  return file && holds_planned_run(file.value(), campaign_, run);
}

std::filesystem::path CampaignStore::run_file(const PlannedRun& run) const {
  return folder_ / (run.name + ".json");
}

std::filesystem::path CampaignStore::partial_run_file(const PlannedRun& run) const {
  return folder_ / (run.name + ".partial.json");
}

void CampaignStore::keep(const PlannedRun& run, ExitCode exit_code) {
  const std::filesystem::path partial = partial_run_file(run);
  const report::Outcome<report::RunFile> file = report::read_run_file(partial.string());
  if (!file) {
    throw ProgramFailure(ExitCode::not_reliable,
                         fmt::format("the client of {} ended well, but: {}", run.name, file.failure().sentence));
  }
  if (!holds_planned_run(file.value(), campaign_, run)) {
    throw ProgramFailure(ExitCode::not_reliable, fmt::format("the client of {} ended well, but {} holds another run",
                                                             run.name, partial.string()));
  }
  std::error_code error;
  std::filesystem::rename(partial, run_file(run), error);
  if (error) {
    throw ProgramFailure(ExitCode::machine_refused, fmt::format("rename {}: {}", partial.string(), error.message()));
  }
  nlohmann::json& runs = contents_.at("runs");
  const std::string name = run_file(run).filename().string();
  const auto is_same = [&](const nlohmann::json& listed) { return listed.at("file") == name; };
  runs.erase(std::remove_if(runs.begin(), runs.end(), is_same), runs.end());
  runs.push_back({{"file", name}, {"exit_code", static_cast<int>(exit_code)}});
  save();
}

void CampaignStore::record_load(const std::string& command, const std::string& version) {
  contents_["load"] = {{"command", command}, {"version", version}};
  save();
}

ExitCode CampaignStore::gravest_exit_code() const {
  ExitCode gravest = ExitCode::clean;
  for (const nlohmann::json& run : contents_.at("runs")) {
    gravest = graver(gravest, exit_code_of_child(run.at("exit_code").get<int>()));
  }
  return gravest;
}

void CampaignStore::save() const {
  const std::string path = (folder_ / "campaign.json").string();
  const report::Outcome<report::Done> written = report::write_text_file(path, contents_.dump(2) + "\n");
  if (!written) {
    throw ProgramFailure(ExitCode::machine_refused, written.failure().sentence);
  }
}

}  // namespace rtecho::host

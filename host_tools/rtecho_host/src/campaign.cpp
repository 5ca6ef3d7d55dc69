#include "rtecho_host/campaign.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>

#include "campaign_run.hpp"
#include "guardian.hpp"
#include "judgement.hpp"
#include "load.hpp"
#include "platform/os_error.hpp"
#include "platform/stop_flag.hpp"
#include "report/text_file.hpp"
#include "rtecho_host/campaign_file.hpp"
#include "rtecho_host/campaign_plan.hpp"
#include "rtecho_host/campaign_store.hpp"
#include "rtecho_host/link.hpp"

namespace rtecho::host {
namespace {

using Clock = std::chrono::steady_clock;

bool is_executable(const std::filesystem::path& program) {
  constexpr auto for_anybody =
      std::filesystem::perms::owner_exec | std::filesystem::perms::group_exec | std::filesystem::perms::others_exec;
  std::error_code error;  // what cannot be looked at is not executable
  const std::filesystem::file_status status = std::filesystem::status(program, error);
  return std::filesystem::is_regular_file(status) &&
         (status.permissions() & for_anybody) != std::filesystem::perms::none;
}

// What can be known before the first run is said before the first run.
void require_files(const CampaignRequest& request, const Campaign& campaign) {
  for (const Variant& variant : campaign.variants) {
    const std::filesystem::path program = request.programs / variant.program;
    if (!is_executable(program)) {
      throw ProgramFailure(
          ExitCode::machine_refused,
          fmt::format("find {}: no such program; build it, or say where it is with --programs", program.string()));
    }
  }
  if (campaign.bounds && !std::filesystem::is_regular_file(request.file.parent_path() / campaign.bounds->file)) {
    throw ProgramFailure(ExitCode::usage, fmt::format("read bounds {}: there is no such file beside {}",
                                                      campaign.bounds->file, request.file.string()));
  }
}

// The link for the time of the runs: made and taken down, or only looked at.
class CampaignLink {
 public:
  CampaignLink(const Campaign& campaign, const platform::StopFlag& stop) : options_(campaign.link) {
    if (!campaign.makes_link) {
      require_link();
      return;
    }
    guardian_.emplace(options_);
    if (!bring_link_up(options_, stop)) {
      guardian_.reset();
      throw ProgramFailure(
          ExitCode::machine_refused,
          "make the link: it is up already and may be in use; take it down with rtecho-host link down, or "
          "use it with up = false in [link]");
    }
    is_made_ = true;
  }
  CampaignLink(const CampaignLink&) = delete;
  CampaignLink& operator=(const CampaignLink&) = delete;
  // The way out of a failed campaign; take_down() is the other one.
  ~CampaignLink() {
    try {
      take_down();
    } catch (const ProgramFailure& failure) {
      fmt::print(stderr, "rtecho-host: {}\n", failure.what());
    }
  }

  void take_down() {
    if (is_made_) {
      is_made_ = false;
      take_link_down(options_);
    }
  }

 private:
  void require_link() const {
    const LinkReport report = look_at_link(options_);
    if (report.state != LinkState::up || !report.remarks.empty()) {
      throw ProgramFailure(
          ExitCode::machine_refused,
          fmt::format("use the link {} - {}: it is not up as the campaign file describes it; see rtecho-host "
                      "link status, or let the campaign make it with up = true",
                      options_.a.network_namespace, options_.b.network_namespace));
    }
  }

  const LinkOptions& options_;
  std::optional<Guardian> guardian_;
  bool is_made_ = false;
};

// One line of talk per run.
class Progress {
 public:
  Progress(std::size_t total, std::size_t finished) : total_(total), current_(finished) {}

  void begin(const Campaign& campaign, const PlannedRun& run) {
    ++current_;
    started_ = Clock::now();
    fmt::print(stderr, "run {}/{} {} #{} {} …", current_, total_, campaign.variants[run.variant].name, run.repetition,
               name_of(run.protocol));
    std::fflush(stderr);
  }
  void end(ExitCode exit_code) {
    const double seconds = std::chrono::duration<double>(Clock::now() - started_).count();
    seconds_ += seconds;
    ++measured_;
    const double left = seconds_ / static_cast<double>(measured_) * static_cast<double>(total_ - current_);
    const std::string remark =
        exit_code == ExitCode::clean ? "" : fmt::format(" (exit code {})", static_cast<int>(exit_code));
    fmt::print(stderr, " {:.0f} s{}, {}\n", seconds, remark, time_left(left));
  }
  void fail() { fmt::print(stderr, " not finished\n"); }

 private:
  static std::string time_left(double seconds) {
    constexpr double seconds_per_minute = 60;
    return seconds < seconds_per_minute ? fmt::format("about {:.0f} s left", seconds)
                                        : fmt::format("about {:.0f} min left", std::ceil(seconds / seconds_per_minute));
  }

  std::size_t total_;
  std::size_t current_;
  std::size_t measured_ = 0;
  double seconds_ = 0;
  Clock::time_point started_;
};

void perform_and_keep(const RunSite& site, const PlannedRun& run, CampaignStore& store, std::optional<Load>& load,
                      Progress& progress) {
  progress.begin(site.campaign, run);
  try {
    const ExitCode exit_code = perform_run(site, run, store.partial_run_file(run));
    if (load) {
      load->require_running();
    }
    store.keep(run, exit_code);
    progress.end(exit_code);
  } catch (const ProgramFailure&) {
    progress.fail();
    throw;
  }
}

// Returns the gravest failure of a run that --keep-going passed over.
ExitCode perform_runs(const RunSite& site, const std::vector<PlannedRun>& runs, CampaignStore& store, Progress progress,
                      bool keep_going) {
  ExitCode gravest = ExitCode::clean;
  CampaignLink link(site.campaign, site.stop);
  {
    std::optional<Load> load;
    if (site.campaign.has_load) {
      load.emplace(site.stop);
      store.record_load(Load::command(), load->version());
    }
    for (const PlannedRun& run : runs) {
      if (load) {
        load->require_running();  // not passed over by --keep-going: no later run would have it
      }
      try {
        perform_and_keep(site, run, store, load, progress);
      } catch (const ProgramFailure& failure) {
        if (!keep_going || failure.exit_code() == ExitCode::interrupted) {
          throw;
        }
        fmt::print(stderr, "rtecho-host: {}\n", failure.what());
        gravest = graver(gravest, failure.exit_code());
      }
    }
  }
  link.take_down();
  return gravest;
}

RunFiles finished_files(const Campaign& campaign, const std::vector<PlannedRun>& runs, const CampaignStore& store,
                        const std::optional<std::string>& variant) {
  RunFiles files;
  for (const PlannedRun& run : runs) {
    if ((!variant || campaign.variants[run.variant].name == *variant) && store.has_finished(run)) {
      files.push_back(store.run_file(run));
    }
  }
  return files;
}

ExitCode judge(const CampaignRequest& request, const Campaign& campaign, const std::vector<PlannedRun>& runs,
               const CampaignStore& store, const platform::StopFlag& stop) {
  ExitCode verdict = ExitCode::clean;
  const RunFiles all = finished_files(campaign, runs, store, std::nullopt);
  if (campaign.compares && !all.empty()) {
    verdict = graver(verdict, print_comparison(all, campaign.comparison_reference, stop));
  }
  if (const auto& bounds = campaign.bounds) {
    const RunFiles files = finished_files(campaign, runs, store, bounds->variant);
    const RunFiles baseline = bounds->baseline ? finished_files(campaign, runs, store, bounds->baseline) : RunFiles();
    if (files.empty()) {
      throw ProgramFailure(ExitCode::not_reliable,
                           fmt::format("check bounds: no run of {} was finished", bounds->variant));
    }
    verdict = graver(verdict, check_bounds(files, request.file.parent_path() / bounds->file, baseline, stop));
  }
  return verdict;
}

}  // namespace

ExitCode run_campaign(const CampaignRequest& request) {
  const report::Outcome<std::string> text = report::read_text_file(request.file.string());
  if (!text) {
    throw ProgramFailure(ExitCode::usage, text.failure().sentence);
  }
  const Campaign campaign = parse_campaign(text.value(), request.file.string());
  require_files(request, campaign);
  const auto stop = platform::StopFlag::install();
  if (!stop) {
    throw ProgramFailure(ExitCode::machine_refused, fmt::format("handle signals: {}: {}", stop.error().context,
                                                                platform::os_error_text(stop.error().os_code)));
  }
  CampaignStore store(request.out, campaign, text.value(), request.restart);
  const std::vector<PlannedRun> runs = plan_runs(campaign);
  std::vector<PlannedRun> left;
  for (const PlannedRun& run : runs) {
    if (!store.has_finished(run)) {
      left.push_back(run);
    }
  }
  const std::size_t finished = runs.size() - left.size();
  if (finished > 0) {
    fmt::print(stderr, "{} of {} runs are finished already in {}\n", finished, runs.size(), request.out.string());
  }
  ExitCode gravest = ExitCode::clean;
  if (!left.empty()) {
    const RunSite site{campaign, request.programs, stop.value()};
    gravest = perform_runs(site, left, store, Progress(runs.size(), finished), request.keep_going);
  }
  gravest = graver(gravest, judge(request, campaign, runs, store, stop.value()));
  return graver(gravest, store.gravest_exit_code());
}

}  // namespace rtecho::host

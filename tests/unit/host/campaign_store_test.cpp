#include "rtecho_host/campaign_store.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

namespace rtecho::host {
namespace {

class CampaignStoreTest : public testing::Test {
 protected:
  CampaignStoreTest() {
    std::string name = testing::TempDir() + "campaign_store_XXXXXX";
    folder_ = ::mkdtemp(name.data());
    campaign_.variants = {{"a", "rtecho", {}, {}}};
    campaign_.protocols = {Protocol::udp};
    campaign_.sizes = {1, 64};
    campaign_.repetitions = 2;
    runs_ = plan_runs(campaign_);
  }
  ~CampaignStoreTest() override { std::filesystem::remove_all(folder_); }

  CampaignStore open(const std::string& text = "text", bool restart = false) const {
    return CampaignStore(folder_, campaign_, text, restart);
  }
  static report::RunFile good_run() {
    report::RunFile run;
    run.tool = {"rtecho", "0", "realtime", "none"};
    run.label = "a";
    run.started = "2026-01-02T03:04:05Z";
    run.complete = true;
    for (const std::uint64_t size : {1U, 64U}) {
      report::SeriesRecord series;
      series.protocol = "udp";
      series.message_bytes = size;
      run.series.push_back(series);
    }
    return run;
  }
  static std::string text_of(const report::RunFile& run) { return report::to_json(run).dump(); }
  static void write(const std::filesystem::path& path, const std::string& text) { std::ofstream(path) << text; }
  void finish(CampaignStore& store, const PlannedRun& run, ExitCode exit_code = ExitCode::clean) const {
    write(store.partial_run_file(run), text_of(good_run()));
    store.keep(run, exit_code);
  }

  std::filesystem::path folder_;
  Campaign campaign_;
  std::vector<PlannedRun> runs_;
};

template <typename Action>
ExitCode exit_code_of(Action action) {
  try {
    action();
    return ExitCode::clean;
  } catch (const ProgramFailure& failure) {
    return failure.exit_code();
  }
}

TEST_F(CampaignStoreTest, StartsWithNothingFinished) {
  const CampaignStore store = open();
  EXPECT_FALSE(store.has_finished(runs_[0]));
  EXPECT_EQ(store.gravest_exit_code(), ExitCode::clean);
}

TEST_F(CampaignStoreTest, RemembersFinishedRuns) {
  CampaignStore store = open();
  finish(store, runs_[0], ExitCode::not_reliable);
  const CampaignStore again = open();
  EXPECT_TRUE(again.has_finished(runs_[0]));
  EXPECT_FALSE(again.has_finished(runs_[1]));
  EXPECT_EQ(again.gravest_exit_code(), ExitCode::not_reliable);
  EXPECT_FALSE(std::filesystem::exists(again.partial_run_file(runs_[0])));
}

TEST_F(CampaignStoreTest, DoesNotTrustAFileThatIsNotListed) {
  const CampaignStore store = open();
  write(store.run_file(runs_[0]), text_of(good_run()));
  EXPECT_FALSE(store.has_finished(runs_[0]));
}

TEST_F(CampaignStoreTest, DoesNotTrustAListedFileThatIsDamaged) {
  CampaignStore store = open();
  finish(store, runs_[0]);
  write(store.run_file(runs_[0]), "{");
  EXPECT_FALSE(store.has_finished(runs_[0]));
  std::filesystem::remove(store.run_file(runs_[0]));
  EXPECT_FALSE(store.has_finished(runs_[0]));
}

TEST_F(CampaignStoreTest, RefusesARunFileThatIsNotTheOnePlanned) {
  CampaignStore store = open();
  EXPECT_EQ(exit_code_of([&] { store.keep(runs_[0], ExitCode::clean); }), ExitCode::not_reliable) << "no file";
  report::RunFile short_run = good_run();
  short_run.series.pop_back();
  write(store.partial_run_file(runs_[0]), text_of(short_run));
  EXPECT_EQ(exit_code_of([&] { store.keep(runs_[0], ExitCode::clean); }), ExitCode::not_reliable)
      << "a size is missing";
  EXPECT_FALSE(store.has_finished(runs_[0]));
}

TEST_F(CampaignStoreTest, RefusesAnotherCampaign) {
  CampaignStore store = open();
  finish(store, runs_[0]);
  EXPECT_EQ(exit_code_of([&] { open("another text"); }), ExitCode::usage);
  EXPECT_TRUE(open().has_finished(runs_[0])) << "and leaves the old one as it was";
}

TEST_F(CampaignStoreTest, RestartRemovesTheOldRuns) {
  CampaignStore store = open();
  finish(store, runs_[0], ExitCode::verdict_negative);
  const CampaignStore again = open("another text", true);
  EXPECT_FALSE(std::filesystem::exists(again.run_file(runs_[0])));
  EXPECT_EQ(again.gravest_exit_code(), ExitCode::clean);
}

TEST_F(CampaignStoreTest, RefusesARecordThatIsNone) {
  for (const char* text : {"", "[]", "{", R"({"schema":"other"})", R"({"schema":"rtecho.campaign/1"})",
                           R"({"schema":"rtecho.campaign/1","runs":[{"file":1,"exit_code":0}]})"}) {
    write(folder_ / "campaign.json", text);
    EXPECT_EQ(exit_code_of([&] { open(); }), ExitCode::usage) << text;
    EXPECT_EQ(exit_code_of([&] { open("text", true); }), ExitCode::usage) << text;
  }
}

TEST_F(CampaignStoreTest, RestartRemovesNothingOutsideItsFolder) {
  const std::filesystem::path outside = folder_ / "outside.json";
  write(outside, "x");
  const std::filesystem::path inner = folder_ / "inner";
  std::filesystem::create_directory(inner);
  write(inner / "campaign.json",
        R"({"schema":"rtecho.campaign/1","campaign":"","runs":[{"file":"../outside.json","exit_code":0}]})");
  const CampaignStore store(inner, campaign_, "text", true);
  EXPECT_TRUE(std::filesystem::exists(outside));
}

TEST_F(CampaignStoreTest, SaysWhenItCannotWrite) {
  EXPECT_EQ(exit_code_of([&] { CampaignStore("/proc/nowhere", campaign_, "text", false); }), ExitCode::machine_refused);
}

TEST_F(CampaignStoreTest, PlannedRunIsCompleteOfItsBuildLabelAndSizes) {
  EXPECT_TRUE(holds_planned_run(good_run(), campaign_, runs_[0]));
  report::RunFile run = good_run();
  run.complete = false;
  EXPECT_FALSE(holds_planned_run(run, campaign_, runs_[0]));
  run = good_run();
  run.tool.build = "normal";
  EXPECT_FALSE(holds_planned_run(run, campaign_, runs_[0]));
  run = good_run();
  run.label = "b";
  EXPECT_FALSE(holds_planned_run(run, campaign_, runs_[0]));
  run = good_run();
  run.series[0].protocol = "tcp";
  EXPECT_FALSE(holds_planned_run(run, campaign_, runs_[0]));
  run = good_run();
  run.series[1].message_bytes = 65;
  EXPECT_FALSE(holds_planned_run(run, campaign_, runs_[0]));
  campaign_.sizes = {};
  EXPECT_TRUE(holds_planned_run(run, campaign_, runs_[0])) << "the published sizes are the client's business";
}

}  // namespace
}  // namespace rtecho::host

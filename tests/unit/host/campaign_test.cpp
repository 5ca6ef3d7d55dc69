// The program `rtecho-host campaign` against stand-ins for the measuring programs: that it ends as it says, and
// leaves neither link nor process behind, whatever happens.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "report/run_file.hpp"
#include "rtecho_host/child_process.hpp"

namespace rtecho::host {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 60s;

class CampaignTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "campaign_XXXXXX";
    folder_ = ::mkdtemp(name.data());
    out_ = folder_ / "results with space";
    if (link_status() == 3) {
      GTEST_SKIP() << "network namespaces need CAP_NET_ADMIN and CAP_SYS_ADMIN: run as root";
    }
    write_campaign();
    write_run_file("a", "realtime");
    write_run_file("b", "normal");
    ::setenv("RTECHO_STAND_IN_RUN_FILES", folder_.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("RTECHO_STAND_IN_SERVER");
    ::unsetenv("RTECHO_STAND_IN_CLIENT");
    ::unsetenv("RTECHO_STAND_IN_RUN_FILES");
    std::filesystem::remove_all(folder_);
  }

  // Names of this process, so that a link of the user is left alone.
  static std::string end_name(char end) { return "rt" + std::to_string(::getpid()) + end; }

  static std::vector<std::string> link_arguments(const std::string& action) {
    return {"link",        action,          "--namespace-a", end_name('a'),   "--namespace-b",
            end_name('b'), "--interface-a", end_name('c'),   "--interface-b", end_name('d')};
  }
  static int link(const std::string& action) {
    ChildProcess process({.program = RTECHO_HOST_PROGRAM, .arguments = link_arguments(action)});
    EXPECT_TRUE(process.has_ended(patience));
    return process.exit_code();
  }
  static int link_status() { return link("status"); }
  static bool link_is_gone() { return link_status() == 1; }

  void write_campaign(const std::string& top = "load = \"none\"", const std::string& link = "") const {
    std::ofstream(folder_ / "campaign.toml")
        << "protocols = [\"udp\"]\nsizes = [1, 64]\ncount = 10\nrepetitions = 1\n"
        << top << "\n[link]\nnamespace_a = \"" << end_name('a') << "\"\nnamespace_b = \"" << end_name('b')
        << "\"\ninterface_a = \"" << end_name('c') << "\"\ninterface_b = \"" << end_name('d') << "\"\n"
        << link << "\n[[variant]]\nname = \"a\"\nprogram = \"rtecho\"\n[[variant]]\nname = \"b\"\n"
        << "program = \"rtecho-gpos\"\n";
  }

  // What the stand-ins hand out as theirs.
  void write_run_file(const std::string& label, const std::string& build) const {
    report::RunFile run;
    run.tool = {"stand-in", "0", build, "none"};
    run.label = label;
    run.started = "2026-01-02T03:04:05Z";
    run.complete = true;
    for (const std::uint64_t size : {1U, 64U}) {
      report::SeriesRecord series;
      series.protocol = "udp";
      series.message_bytes = size;
      run.series.push_back(series);
    }
    ASSERT_TRUE(report::write_run_file((folder_ / (label + ".json")).string(), run));
  }

  Command campaign(const std::vector<std::string>& more = {}) const {
    Command command{.program = RTECHO_HOST_PROGRAM,
                    .arguments = {"campaign", (folder_ / "campaign.toml").string(), "--out", out_.string(),
                                  "--programs", RTECHO_STAND_INS}};
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
    return command;
  }
  struct End {
    int exit_code = -1;
    std::string words;
  };
  End run_campaign(const std::vector<std::string>& more = {}) const {
    ChildProcess process(campaign(more));
    EXPECT_TRUE(process.has_ended(patience));
    return end_of(process);
  }
  static End end_of(const ChildProcess& process) {
    End end{process.exit_code(), {}};
    for (const std::string& line : process.last_words()) {
      end.words += line + '\n';
    }
    return end;
  }
  // Starts it with a client that hangs, and waits until that client runs. Returns its process.
  pid_t wait_for_hanging_client(ChildProcess& process) const {
    const std::filesystem::path started = out_ / "a-udp-1.partial.json.started";
    pid_t client = 0;
    while (!(std::ifstream(started) >> client)) {
      if (process.has_ended(5ms)) {
        ADD_FAILURE() << end_of(process).words;
        break;
      }
    }
    return client;
  }

  std::filesystem::path folder_;
  std::filesystem::path out_;
};

#define EXPECT_SAYS(end, part) EXPECT_NE((end).words.find(part), std::string::npos) << (end).words

TEST_F(CampaignTest, KeepsAFileOfEachRunAndTakesTheLinkDown) {
  const End end = run_campaign();
  EXPECT_EQ(end.exit_code, 0) << end.words;
  EXPECT_SAYS(end, "run 1/2 a #1 udp …");
  EXPECT_SAYS(end, "run 2/2 b #1 udp …");
  EXPECT_TRUE(std::filesystem::exists(out_ / "a-udp-1.json"));
  EXPECT_TRUE(std::filesystem::exists(out_ / "b-udp-1.json"));
  EXPECT_TRUE(link_is_gone());
}

TEST_F(CampaignTest, TellsALossyRunByItsExitCodeAlsoWhenContinued) {
  ::setenv("RTECHO_STAND_IN_CLIENT", "loss", 1);
  const End end = run_campaign();
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_SAYS(end, "(exit code 1)");
  EXPECT_EQ(run_campaign().exit_code, 1);
}

TEST_F(CampaignTest, InterruptKeepsThePartialFileAndTheCampaignCanBeContinued) {
  ::setenv("RTECHO_STAND_IN_CLIENT", "hang", 1);
  {
    ChildProcess process(campaign());
    wait_for_hanging_client(process);
    EXPECT_TRUE(process.stop(SIGINT, patience));
    EXPECT_EQ(process.exit_code(), 130);
  }
  EXPECT_TRUE(std::filesystem::exists(out_ / "a-udp-1.partial.json"));
  EXPECT_FALSE(std::filesystem::exists(out_ / "a-udp-1.json"));
  EXPECT_TRUE(link_is_gone());
  ::unsetenv("RTECHO_STAND_IN_CLIENT");
  EXPECT_EQ(run_campaign().exit_code, 0);
  const End again = run_campaign();
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_SAYS(again, "2 of 2 runs are finished already");
}

TEST_F(CampaignTest, KilledHardItsGuardianTakesTheLinkDown) {
  ::setenv("RTECHO_STAND_IN_CLIENT", "hang", 1);
  pid_t client = 0;
  {
    ChildProcess process(campaign());
    client = wait_for_hanging_client(process);
    process.stop(SIGKILL, patience);
    EXPECT_EQ(process.exit_code(), 128 + SIGKILL);
  }
  // The guardian is not our child: look until it has done its work.
  for (int attempt = 0; attempt < 500 && !link_is_gone(); ++attempt) {
    ::usleep(10'000);
  }
  EXPECT_TRUE(link_is_gone());
  std::error_code error;
  EXPECT_TRUE(std::filesystem::read_symlink("/proc/" + std::to_string(client) + "/exe", error).empty())
      << "the client still runs";
}

TEST_F(CampaignTest, ChangedFileIsRefusedWithoutRestart) {
  EXPECT_EQ(run_campaign().exit_code, 0);
  write_campaign("load = \"none\"\nrun_limit_s = 5");
  const End end = run_campaign();
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_SAYS(end, "--restart");
  EXPECT_EQ(run_campaign({"--restart"}).exit_code, 0);
}

TEST_F(CampaignTest, CrashedClientEndsIt) {
  ::setenv("RTECHO_STAND_IN_CLIENT", "crash", 1);
  const End end = run_campaign();
  EXPECT_EQ(end.exit_code, 5);
  EXPECT_SAYS(end, "the client of a-udp-1 ended with exit code 137");
  EXPECT_TRUE(link_is_gone());
}

TEST_F(CampaignTest, KeepGoingTriesEveryRun) {
  ::setenv("RTECHO_STAND_IN_CLIENT", "crash", 1);
  const End end = run_campaign({"--keep-going"});
  EXPECT_EQ(end.exit_code, 5);
  EXPECT_SAYS(end, "the client of a-udp-1");
  EXPECT_SAYS(end, "the client of b-udp-1");
}

TEST_F(CampaignTest, HangingClientMeetsTheHardLimit) {
  write_campaign("load = \"none\"\nrun_limit_s = 1");
  ::setenv("RTECHO_STAND_IN_CLIENT", "hang", 1);
  const End end = run_campaign();
  EXPECT_EQ(end.exit_code, 5);
  EXPECT_SAYS(end, "set run_limit_s");
  EXPECT_TRUE(link_is_gone());
}

TEST_F(CampaignTest, ServerThatRefusesIsQuoted) {
  ::setenv("RTECHO_STAND_IN_SERVER", "refuse", 1);
  const End end = run_campaign();
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_SAYS(end, "the server of a-udp-1 ended with exit code 3\n  bind 10.77.0.1: EADDRINUSE");
  EXPECT_TRUE(link_is_gone());
}

TEST_F(CampaignTest, ServerThatNeverGetsReadyIsGivenUp) {
  ::setenv("RTECHO_STAND_IN_SERVER", "mute", 1);
  const End end = run_campaign();
  EXPECT_EQ(end.exit_code, 5);
  EXPECT_SAYS(end, "did not get ready within 10 s\n  still thinking");
  EXPECT_TRUE(link_is_gone());
}

TEST_F(CampaignTest, DoesNotTouchALinkThatItDidNotMake) {
  ASSERT_EQ(link("up"), 0);
  const End refused = run_campaign();
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_SAYS(refused, "up = false");
  EXPECT_EQ(link_status(), 0);
  write_campaign("load = \"none\"", "up = false\n");
  EXPECT_EQ(run_campaign({"--restart"}).exit_code, 0);
  EXPECT_EQ(link_status(), 0);
  EXPECT_EQ(link("down"), 0);
  EXPECT_EQ(run_campaign({"--restart"}).exit_code, 3) << "and needs the one it was promised";
}

TEST_F(CampaignTest, RecordsTheLoad) {
  if (!std::filesystem::exists("/usr/bin/stress-ng")) {
    GTEST_SKIP() << "stress-ng is not installed";
  }
  write_campaign("load = \"default\"");
  const End end = run_campaign();
  EXPECT_EQ(end.exit_code, 0) << end.words;
  std::ifstream file(out_ / "campaign.json");
  const nlohmann::json record = nlohmann::json::parse(file);
  EXPECT_EQ(record["load"]["command"], "stress-ng --cpu 2 --switch 2 --sock 1");
  EXPECT_EQ(record["load"]["version"].get<std::string>().substr(0, 18), "stress-ng, version");
}

TEST_F(CampaignTest, MissingProgramsAreFoundBeforeTheFirstRun) {
  Command command = campaign();
  command.arguments.back() = folder_.string();
  ChildProcess process(command);
  ASSERT_TRUE(process.has_ended(patience));
  EXPECT_EQ(process.exit_code(), 3);
  EXPECT_SAYS(end_of(process), "--programs");
}

}  // namespace
}  // namespace rtecho::host

#include "campaign_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <sstream>

#include "ready_pipe.hpp"
#include "rtecho_host/child_process.hpp"

namespace rtecho::host {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::chrono::seconds ready_limit{10};
constexpr std::chrono::seconds stopping_time{5};

std::string with_last_words(const std::string& sentence, const ChildProcess& process) {
  std::string text = sentence;
  for (const std::string& line : process.last_words()) {
    text += fmt::format("\n  {}", line);
  }
  return text;
}

// Whether a program with this exit code did what it was started for.
bool has_run(ExitCode code) {
  return code == ExitCode::clean || code == ExitCode::verdict_negative || code == ExitCode::not_reliable;
}

[[noreturn]] void fail_as_child(const std::string& who, const ChildProcess& process) {
  const ExitCode code = exit_code_of_child(process.exit_code());
  // A program that ended before it was asked to is lost, however content it was.
  throw ProgramFailure(has_run(code) ? ExitCode::peer_absent : code,
                       with_last_words(fmt::format("{} ended with exit code {}", who, process.exit_code()), process));
}

// The parts that a ready line names.
struct Listening {
  std::string address;
  std::string port;
};

class Server {
 public:
  Server(const RunSite& site, const PlannedRun& run)
      : who_(fmt::format("the server of {}", run.name)), process_(command(site, run, ready_.server_end())) {
    ready_.close_server_end();
  }

  // Waits for its ready line.
  Listening wait_until_ready(const platform::StopFlag& stop) {
    const auto deadline = Clock::now() + ready_limit;
    for (;;) {
      if (stop.requested()) {
        throw ProgramFailure(ExitCode::interrupted, fmt::format("interrupted while {} started", who_));
      }
      const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
      if (left <= milliseconds::zero()) {
        throw ProgramFailure(
            ExitCode::peer_absent,
            with_last_words(fmt::format("{} did not get ready within {} s", who_, ready_limit.count()), process_));
      }
      switch (ready_.wait(left, stop.wake_descriptor())) {
        case ReadyPipe::State::open:
          break;
        case ReadyPipe::State::line:
          return parse_ready_line(ready_.text());
        case ReadyPipe::State::closed:
          process_.stop(SIGTERM, stopping_time);
          fail_as_child(who_, process_);
      }
    }
  }

  // Stops it and returns how it ended: clean, verdict_negative or not_reliable.
  ExitCode stop() {
    if (!process_.stop(SIGTERM, stopping_time)) {
      throw ProgramFailure(
          ExitCode::peer_absent,
          with_last_words(fmt::format("{} did not stop within {} s and was killed", who_, stopping_time.count()),
                          process_));
    }
    const ExitCode ended = exit_code_of_child(process_.exit_code());
    if (!has_run(ended)) {
      fail_as_child(who_, process_);
    }
    return ended;
  }

 private:
  static Command command(const RunSite& site, const PlannedRun& run, int ready_descriptor) {
    const Variant& variant = site.campaign.variants[run.variant];
    const LinkEnd& end = site.campaign.link.a;
    Command command{
        .program = (site.programs / variant.program).string(),
        .arguments = {"server", "--netns", end.network_namespace, "--bind", std::string(without_prefix(end.address)),
                      "--ready-fd", std::to_string(ready_descriptor)},
        .passed_descriptor = ready_descriptor};
    command.arguments.insert(command.arguments.end(), variant.server_options.begin(), variant.server_options.end());
    return command;
  }

  Listening parse_ready_line(const std::string& line) const {
    std::istringstream words(line);
    std::string ready;
    Listening listening;
    if (!(words >> ready >> listening.address >> listening.port) || ready != "ready") {
      throw ProgramFailure(ExitCode::peer_absent,
                           fmt::format("{} said '{}' instead of 'ready ADDRESS PORT'; are both programs of one build?",
                                       who_, line.substr(0, line.find('\n'))));
    }
    return listening;
  }

  std::string who_;
  ReadyPipe ready_;
  ChildProcess process_;
};

Command client_command(const RunSite& site, const PlannedRun& run, const Listening& server,
                       const std::filesystem::path& run_file) {
  const Campaign& campaign = site.campaign;
  const Variant& variant = campaign.variants[run.variant];
  Command command{
      .program = (site.programs / variant.program).string(),
      .arguments = {"client", fmt::format("{}:{}", server.address, server.port),  //
                    "--netns", campaign.link.b.network_namespace,                 //
                    "--protocol", name_of(run.protocol),                          //
                    "--sizes", campaign.sizes.empty() ? "rtx" : fmt::format("{}", fmt::join(campaign.sizes, ",")),
                    "--count", std::to_string(campaign.count),  //
                    "--label", variant.name,                    //
                    "--out", run_file.string()}};
  command.arguments.insert(command.arguments.end(), variant.client_options.begin(), variant.client_options.end());
  return command;
}

// Waits for the end of a client within its limit, or for a request to stop.
void await_client(const RunSite& site, const PlannedRun& run, ChildProcess& client) {
  const std::chrono::seconds limit = run_limit(site.campaign);
  const auto deadline = Clock::now() + limit;
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    if (client.has_ended(std::max(left, milliseconds::zero()), site.stop.wake_descriptor())) {
      return;
    }
    if (site.stop.requested()) {
      client.stop(SIGINT, stopping_time);  // it writes its partial run file
      throw ProgramFailure(ExitCode::interrupted,
                           fmt::format("interrupted in run {}; start the campaign again to continue it", run.name));
    }
    if (left <= milliseconds::zero()) {
      client.stop(SIGINT, stopping_time);
      throw ProgramFailure(
          ExitCode::peer_absent,
          with_last_words(fmt::format("the client of {} was still running after {} s and was stopped; if it "
                                      "was only slow, set run_limit_s in the campaign file",
                                      run.name, limit.count()),
                          client));
    }
  }
}

}  // namespace

ExitCode perform_run(const RunSite& site, const PlannedRun& run, const std::filesystem::path& run_file) {
  Server server(site, run);
  const Listening listening = server.wait_until_ready(site.stop);
  ChildProcess client(client_command(site, run, listening, run_file));
  await_client(site, run, client);
  const ExitCode client_end = exit_code_of_child(client.exit_code());
  if (!has_run(client_end)) {
    fail_as_child(fmt::format("the client of {}", run.name), client);
  }
  return graver(client_end, server.stop());
}

}  // namespace rtecho::host

#include "client.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "client_series.hpp"
#include "console.hpp"
#include "control_client.hpp"
#include "facts_json.hpp"
#include "frame_link.hpp"
#include "key_file.hpp"
#include "platform/latency_hold.hpp"
#include "process_setup.hpp"
#include "quantities.hpp"
#include "report/program_failure.hpp"
#include "report/run_verdict.hpp"
#include "report/series_table.hpp"
#include "run_writer.hpp"
#include "samples_file.hpp"
#include "sentences.hpp"
#include "version.hpp"

namespace rtecho::pair {

namespace {

using report::ExitCode;
using report::ProgramFailure;

// Runs the series one after the other and gathers what they leave behind.
class ClientRun {
 public:
  ClientRun(const ClientOptions& options, const platform::StopFlag& stop)
      : options_(options), stop_(stop), run_(begin_run_file(options)) {
    if (!options.samples_path.empty()) {
      samples_.emplace(options.samples_path);
    }
  }

  void take_machine();
  void measure(const drivers::Address& server, const std::string& key, const FrameLink* frames);
  // Without a control channel: one series, agreed on beforehand.
  void measure_uncontrolled(const FrameLink& frames);
  // Writes everything that was asked for, and says how the run ended.
  ExitCode finish();

 private:
  void measure_all(ControlClient* control, const FrameLink* frames, drivers::IpVersion version);
  void measure_series(ControlClient* control, const FrameLink* frames, std::size_t index, drivers::IpVersion version);
  void gather(const ClientSeries& series, drivers::IpVersion version);
  void note_grant(const ClientSeries& series);
  void note_untestable(std::uint32_t message_bytes, const std::string& reason);

  const ClientOptions& options_;
  const platform::StopFlag& stop_;
  report::RunFile run_;
  std::optional<SamplesFile> samples_;
  std::vector<std::string> degraded_;  // of the process: the threads' own come with their grants
  std::optional<platform::LatencyHold> latency_hold_;
  std::optional<platform::MemoryLock> memory_lock_;
  std::optional<std::string> capture_failure_;
  std::size_t untestable_ = 0;
  SeriesEnd last_end_ = SeriesEnd::running;
  std::optional<ProgramFailure> failure_;
};

void ClientRun::take_machine() {
  if (platform::build_is_realtime()) {
    latency_hold_.emplace(platform::LatencyHold::acquire(degraded_));
  }
  if (options_.thread.plan.lock_memory) {
    memory_lock_.emplace(platform::MemoryLock::acquire(degraded_));
  }
  run_.client.degraded = degraded_;
}

void ClientRun::measure(const drivers::Address& server, const std::string& key, const FrameLink* frames) {
  ControlClient control(server, key, options_.wait_for_server, stop_);
  run_.client.host =
      machine_facts(options_.thread.plan.cpu, data_interface(options_.link, control.local().host_text()));
  measure_all(&control, frames, control.server().version());
}

void ClientRun::measure_uncontrolled(const FrameLink& frames) {
  run_.client.host = machine_facts(options_.thread.plan.cpu, frames.interface().name);
  run_.notes["server"] = "--no-control: only the server itself knows its machine and its grants";
  run_.notes["realtime"] = "--no-control: nothing is known of the server, so the run is not called real-time";
  measure_all(nullptr, &frames, drivers::IpVersion::ipv4);
}

void ClientRun::measure_all(ControlClient* control, const FrameLink* frames, drivers::IpVersion version) {
  for (std::size_t i = 0; i < options_.sizes.size() && !stop_.requested(); ++i) {
    try {
      measure_series(control, frames, i, version);
    } catch (const UntestableSize& untestable) {
      note_untestable(options_.sizes[i], untestable.what());
      continue;
    } catch (const ProgramFailure& failure) {
      failure_.emplace(failure);  // what was measured before is still worth a file
      return;
    }
    if (last_end_ != SeriesEnd::complete) {
      return;
    }
  }
}

void ClientRun::note_untestable(std::uint32_t message_bytes, const std::string& reason) {
  ++untestable_;
  const std::string name = fmt::format("{} {} B", name_of(options_.protocol), message_bytes);
  fmt::print(stderr, "{}: {}: not testable on this path: {}\n", program_name(), name, reason);
  run_.notes[report::untestable_key(name_of(options_.protocol), message_bytes)] =
      "not testable on this path: " + reason;
}

void ClientRun::measure_series(ControlClient* control, const FrameLink* frames, std::size_t index,
                               drivers::IpVersion version) {
  ProgressLine progress;
  ClientSeries series(control, frames, options_, options_.sizes[index]);
  progress.begin_series(options_.protocol, options_.sizes[index], series.plan(), index, options_.sizes.size());
  if (samples_) {
    samples_->begin_series(options_.protocol, options_.sizes[index]);
  }
  series.start(stop_);
  note_grant(series);
  series.watch([&](const Event& event) {
    if (event.kind == EventKind::batch) {
      progress.show(event);
    } else if (event.kind == EventKind::sample && samples_) {
      samples_->add(event);
    }
  });
  last_end_ = series.record().end;
  gather(series, version);
}

void ClientRun::note_grant(const ClientSeries& series) {
  run_.client.granted = to_json(series.grant());
  run_.client.granted["cpu_latency_hold"] = latency_hold_ && latency_hold_->held();
  run_.client.degraded = degraded_;
  const auto& shortfalls = series.grant().degraded;
  run_.client.degraded.insert(run_.client.degraded.end(), shortfalls.begin(), shortfalls.end());
  if (series.armed()) {
    run_.server = series.armed()->end;
    const bool fully_granted = run_.client.degraded.empty() && run_.server->degraded.empty();
    run_.realtime = options_.thread.asks_for_realtime() && series.armed()->realtime && fully_granted;
  }
  if (options_.thread.strict && !run_.client.degraded.empty()) {
    throw ProgramFailure(ExitCode::machine_refused, fmt::format("--strict: {}", fmt::join(run_.client.degraded, "; ")));
  }
}

void ClientRun::gather(const ClientSeries& series, drivers::IpVersion version) {
  std::optional<std::uint32_t> mtu;
  if (const auto nic = run_.client.host.find("nic"); nic != run_.client.host.end()) {
    mtu = nic->at("mtu").get<std::uint32_t>();
  }
  run_.series.push_back(series_record(series, options_, mtu, version));
  if (series.capture_failure()) {
    capture_failure_ = *series.capture_failure();
  }
  if (series.dropped_events() > 0 && samples_) {
    run_.warnings.push_back(fmt::format("{} {} B: {} samples found the way to the file full and are missing in it",
                                        run_.series.back().protocol, run_.series.back().message_bytes,
                                        series.dropped_events()));
  }
  if (series.record().end == SeriesEnd::peer_lost || series.record().end == SeriesEnd::desynchronised) {
    const bool lost = series.record().end == SeriesEnd::peer_lost;
    failure_.emplace(ExitCode::peer_absent,
                     fmt::format("{} {} B: {}", run_.series.back().protocol, run_.series.back().message_bytes,
                                 lost ? "the server does not answer any more"
                                      : "the stream lost its message boundaries; the connection was closed"));
  }
}

ExitCode ClientRun::finish() {
  run_.complete = !failure_ && !stop_.requested() && run_.series.size() + untestable_ == options_.sizes.size();
  report::note_suspicious_minima(run_);
  std::optional<ProgramFailure> file_failure;
  const bool has_results = !run_.series.empty() || untestable_ > 0;
  if (!options_.out_path.empty() && has_results) {
    const auto written = report::write_run_file(options_.out_path, run_);
    if (!written) {
      file_failure.emplace(ExitCode::machine_refused, written.failure().sentence);
    }
  }
  if (capture_failure_ && !file_failure) {
    file_failure.emplace(ExitCode::machine_refused, *capture_failure_);
  }
  // Results go to stdout; where that carries the run file, the table is talk.
  if (has_results) {
    std::FILE* const stream = options_.out_path == "-" ? stderr : stdout;
    fmt::print(stream, "{}", report::series_table(run_));
    std::fflush(stream);  // while a closed pipe is still an error and not a signal
  }
  if (samples_) {
    samples_->finish();
  }
  if (file_failure) {
    throw *file_failure;
  }
  if (failure_) {
    throw *failure_;
  }
  if (stop_.requested()) {
    return ExitCode::interrupted;
  }
  return report::exit_code_of(run_, options_.allowed_loss, options_.thread.strict);
}

}  // namespace

report::ExitCode run_client(const ClientOptions& asked) {
  ClientOptions options = asked;
  const platform::StopFlag stop = install_stop_flag();
  enter_namespace(options.network_namespace);
  check_thread_options(options.thread);
  find_vlan_device(options.link);
  std::optional<drivers::Address> server;
  if (!options.uncontrolled.no_control) {
    server = address_of("server", options.server, default_control_port);
    if (server->port() == 0) {
      throw ProgramFailure(ExitCode::usage, "server: port 0 is no port to connect to");
    }
  }
  const std::string key = options.key_file.empty() ? std::string() : read_key_file(options.key_file);
  check_output(options.out_path);
  check_output(options.link.capture_path);
  ClientRun run(options, stop);
  std::optional<FrameLink> frames;
  if (options.link.moves_frames() && options.protocol != Protocol::tcp) {
    frames.emplace(options.link);
  }
  keep_needed_capabilities(!options.out_path.empty() || !options.link.capture_path.empty(),
                           options.link.moves_frames());
  run.take_machine();
  if (server) {
    run.measure(*server, key, frames ? &*frames : nullptr);
  } else {
    run.measure_uncontrolled(*frames);
  }
  return run.finish();
}

}  // namespace rtecho::pair

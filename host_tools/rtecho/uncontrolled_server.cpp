#include "uncontrolled_server.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "drivers/mac_text.hpp"
#include "facts_json.hpp"
#include "frame_link.hpp"
#include "platform/clock.hpp"
#include "process_setup.hpp"
#include "quantities.hpp"
#include "ready_line.hpp"
#include "report/program_failure.hpp"
#include "restless.hpp"
#include "run_writer.hpp"
#include "sentences.hpp"
#include "server_series.hpp"
#include "version.hpp"

namespace rtecho::pair {

using report::ExitCode;
using report::ProgramFailure;

namespace {

constexpr Duration between_looks_at_the_flag = Duration::from_ms(20);

[[noreturn]] void refuse(const Error& error, const std::vector<std::string>& degraded) {
  std::string sentence = sentence_of(error);
  for (const std::string& shortfall : degraded) {
    sentence += "; " + shortfall;
  }
  throw ProgramFailure(ExitCode::machine_refused, sentence);
}

}  // namespace

ExitCode run_uncontrolled_server(const ServerOptions& options, const platform::StopFlag& stop) {
  check_output(options.report_path);
  const FrameLink link(options.link);
  Arm arm;
  arm.protocol = Protocol::eth;
  arm.message_bytes = options.uncontrolled.message_bytes;
  if (arm.message_bytes > link.message_bytes_max(arm.protocol)) {
    throw ProgramFailure(ExitCode::usage, fmt::format("--message-bytes {}: {} carries at most {} (MTU {})",
                                                      arm.message_bytes, link.interface().name,
                                                      link.message_bytes_max(arm.protocol), link.interface().mtu));
  }
  if (const auto risk = freeze_risk(options.thread, arm.rests)) {
    throw ProgramFailure(ExitCode::machine_refused, *risk);
  }
  auto port = link.open_ethernet(options.link.peer_mac.value_or(MacAddress{}),
                                 MessageShape{arm.message_bytes, options.uncontrolled.session});
  if (!port) {
    refuse(port.error(), {});
  }
  keep_needed_capabilities(!options.report_path.empty() || !options.link.capture_path.empty(), false);
  ServerSeries series(arm, options.uncontrolled.session, options.thread);
  const auto started = series.start(std::move(port).value());
  if (!started) {
    refuse(started.error(), series.degraded());
  }
  for (const std::string& shortfall : series.degraded()) {
    fmt::print(stderr, "{}: DEGRADED: {}\n", program_name(), shortfall);
  }
  const std::string station = drivers::mac_text(link.interface().mac);
  announce_ready(options.ready_descriptor, station, 0);
  fmt::print(stderr, "{}: ready on {} ({}), eth {} B, session {}\n", program_name(), link.interface().name, station,
             arm.message_bytes, hex_text(options.uncontrolled.session));

  const std::optional<Instant> until =
      options.run_for ? std::optional(platform::MonotonicClock::now() + *options.run_for) : std::nullopt;
  while (!stop.requested() && !series.finished() && (!until || platform::MonotonicClock::now() < *until)) {
    platform::sleep_until(platform::MonotonicClock::now() + between_looks_at_the_flag);
  }
  report::EndRecord end{machine_facts(options.thread.plan.cpu, link.interface().name), to_json(series.grant()),
                        series.degraded()};
  const bool lost_its_interface = series.finished();
  const ServerReport report = series.stop();
  if (!options.report_path.empty()) {
    ServerRunFile(options).add(arm, options.link.driver, report, end);
  }
  const ServerAccounting& seen = report.accounting;
  fmt::print("frames {}, requests {}, repeated {}, replies {}, refused {}, malformed {}, of other sessions {}\n",
             seen.frames, seen.requests, seen.repeated, seen.replies, seen.reply_refused, seen.malformed, seen.unarmed);
  if (lost_its_interface) {
    throw ProgramFailure(ExitCode::machine_refused,
                         fmt::format("--iface {}: the interface went away", link.interface().name));
  }
  return series.degraded().empty() ? ExitCode::clean : ExitCode::not_reliable;
}

}  // namespace rtecho::pair

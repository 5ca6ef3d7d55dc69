#include "run_writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "drivers/address.hpp"
#include "drivers/fragments.hpp"
#include "facts_json.hpp"
#include "platform/clock.hpp"
#include "quantities.hpp"
#include "report/latency_summary.hpp"
#include "version.hpp"

namespace rtecho::pair {

namespace {

using nlohmann::json;

// A time that was stamped; an instant of 0 was not.
std::optional<std::int64_t> stamp(Instant instant) {
  return instant > Instant{} ? std::optional(instant.ns()) : std::nullopt;
}

constexpr const char* no_control_reason = "--no-control: only the server itself knows";

std::vector<report::SlowMessage> slowest_of(const SeriesRecord& record) {
  std::vector<SlowMessage> entries(record.slowest.entries().begin(), record.slowest.entries().end());
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.length > b.length; });
  std::vector<report::SlowMessage> slowest;
  slowest.reserve(entries.size());
  for (const SlowMessage& entry : entries) {
    slowest.push_back({entry.sequence, stamp(entry.intended), stamp(entry.send), stamp(entry.server_receive),
                       stamp(entry.server_send), stamp(entry.receive)});
  }
  return slowest;
}

std::vector<report::BatchRecord> batches_of(const SeriesRecord& record) {
  std::vector<report::BatchRecord> batches;
  for (const BatchRecord& batch : record.batches.records()) {
    report::BatchRecord& copy = batches.emplace_back();
    copy.n = batch.n;
    if (batch.n > 0) {
      copy.min_ns = batch.min.ns();
      copy.max_ns = batch.max.ns();
    }
  }
  return batches;
}

// What has no samples because the pacing or the form has none is null with a reason, not an empty summary.
void put_latencies(const SeriesRecord& record, const ClientPlan& plan, report::SeriesRecord& series) {
  series.service = report::summarize(record.service);
  if (effective_resume(plan) > 0) {
    series.resume = report::summarize_resume(record.resume);
  } else {
    series.notes["resume"] = plan.batch.rests() ? "the schedule is so slow that a batch would hold little else, or "
                                                  "--resume 0"
                                                : "no rests";
  }
  if (plan.pacing.scheduled()) {
    series.response = report::summarize(record.response);
    series.slip = report::summarize(record.slip);
    series.notes["turnaround"] = "paced: see slip";
  } else {
    series.turnaround = report::summarize(record.turnaround);
    series.notes["response"] =
        "no schedule: one stall is one sample whatever its length; --rate shows what a "
        "periodic user sees";
    series.notes["slip"] = "no schedule";
  }
  if (plan.shape.form() == MessageForm::full) {
    series.residence = report::summarize(record.residence);
  } else {
    series.notes["residence"] = "messages below 64 bytes carry no server stamps";
  }
}

std::string wait_text(WaitMode mode, std::uint64_t blocks_outside_rests) {
  return mode == WaitMode::spin && blocks_outside_rests > 0 ? "spin*" : name_of(mode);
}

void put_waits(const ClientSeries& series, report::SeriesRecord& record) {
  record.rests = series.record().rests;
  record.blocked_waits.client = series.loop().blocked_waits;
  // The client's loop counts no wait of a rest.
  record.wait.client = wait_text(series.plan().wait.mode, series.loop().blocked_waits);
  if (series.server()) {
    // The server blocks once a rest, before the first message, and after the last one.
    const std::uint64_t expected = record.rests + 2;
    const std::uint64_t blocked = series.server()->blocked_waits;
    record.blocked_waits.server = blocked;
    const WaitMode wait = series.armed() ? series.armed()->wait : WaitMode::spin;
    record.wait.server = wait_text(wait, blocked > expected ? blocked - expected : 0);
  } else if (series.armed()) {
    record.wait.server = name_of(series.armed()->wait);
  }
}

void put_server_half(const ClientSeries& series, report::SeriesRecord& record) {
  const auto& server = series.server();
  if (!series.armed()) {
    for (const char* missing :
         {"accounting.server", "determinism.server", "accounting.lost_up", "accounting.lost_down"}) {
      record.notes[missing] = no_control_reason;
    }
    return;
  }
  if (!server) {
    record.notes["accounting.server"] = "the server's half did not arrive";
    record.notes["determinism.server"] = "the server's half did not arrive";
    record.notes["accounting.lost_up"] = "needs the server's half";
    record.notes["accounting.lost_down"] = "needs the server's half";
    return;
  }
  record.accounting.server = server->accounting;
  record.determinism.server = server->window;
  record.port.server = server->port;
  record.notes.insert(server->notes.begin(), server->notes.end());
  LossSplit split;
  if (split_loss(record.accounting.client, server->accounting, split)) {
    record.accounting.lost_up = split.up;
    record.accounting.lost_down = split.down;
  } else {
    record.notes["accounting.lost_up"] = "the run was interrupted: the halves do not match";
    record.notes["accounting.lost_down"] = "the run was interrupted: the halves do not match";
  }
}

// What was asked for besides the driver; what was not is not there.
void put_link(const LinkOptions& link, json& object) {
  if (!link.interface.empty()) {
    object["iface"] = link.interface;
  }
  if (link.own_address) {
    object["address"] = drivers::Address::from_ipv4(*link.own_address).host_text();
  }
  if (link.vlan) {
    object["vlan"] = json{{"id", link.vlan->id}, {"priority", link.vlan->priority}};
  }
  if (link.differentiated_services) {
    object["dscp"] = *link.differentiated_services;
  }
  if (link.socket_priority) {
    object["socket_priority"] = *link.socket_priority;
  }
}

json plan_json(const ClientOptions& options) {
  const ClientPlan& plan = options.plan;
  json object{{"protocol", name_of(options.protocol)},
              {"sizes", options.sizes},
              {"batch", plan.batch.messages},
              {"rest_ns", plan.batch.rest.ns()},
              {"resume", plan.batch.resume},
              {"warmup", plan.warmup},
              {"warmup_on_schedule", plan.warmup_on_schedule},
              {"timeout_ns", plan.timeout.ns()},
              {"window", plan.pacing.window},
              {"burst", plan.pacing.burst},
              {"missed", plan.pacing.missed == MissedPolicy::late ? "late" : "skip"},
              {"wait", name_of(plan.wait.mode)},
              {"allowed_loss", options.allowed_loss},
              {"driver", name_of(options.link.driver)}};
  put_link(options.link, object);
  if (plan.run_for > Duration{}) {
    object["for_ns"] = plan.run_for.ns();
  } else {
    object["count"] = plan.count;
  }
  if (plan.pacing.scheduled()) {
    object["spacing_ns"] = plan.pacing.spacing().ns();
  }
  if (platform::build_is_realtime()) {
    const platform::ThreadPlan& thread = options.thread.plan;
    object["policy"] = thread.policy == platform::SchedulingPolicy::fifo ? "fifo" : "other";
    object["priority"] = thread.priority;
    object["memory_lock"] = thread.lock_memory;
    object["strict"] = options.thread.strict;
    object["cpu"] = thread.cpu ? json(*thread.cpu) : json(nullptr);
  }
  return object;
}

report::Tool tool() {
  return report::Tool{program_name(), program_version(), platform::build_kind(), compiler_text()};
}

}  // namespace

report::SeriesRecord series_record(const ClientSeries& series, const ClientOptions& options,
                                   std::optional<std::uint32_t> mtu, drivers::IpVersion version) {
  report::SeriesRecord record;
  const SeriesRecord& observed = series.record();
  record.protocol = name_of(options.protocol);
  record.client_driver = name_of(options.protocol == Protocol::tcp ? Driver::socket : options.link.driver);
  if (series.armed()) {
    record.server_driver = series.armed()->driver;
  } else {
    record.notes["server_driver"] = no_control_reason;
    record.notes["wait.server"] = no_control_reason;
  }
  record.message_bytes = series.plan().shape.message_bytes;
  if (options.protocol == Protocol::tcp) {
    record.notes["fragments"] = "a stream is cut into segments, not into fragments";
  } else if (options.link.moves_frames()) {
    record.fragments = 1;  // larger messages are not testable
  } else if (mtu) {
    record.fragments = drivers::fragments_of(series.plan().shape.message_bytes, *mtu, version);
  } else {
    record.notes["fragments"] = "the MTU of the way to the server is not known";
  }
  record.accounting.client = observed.accounting;
  record.elapsed_ns = observed.elapsed.ns();
  record.batches = batches_of(observed);
  record.batches_per_record = observed.batches.batches_per_record();
  record.slowest = slowest_of(observed);
  record.port.client = series.port_counters();
  put_waits(series, record);
  put_latencies(observed, series.plan(), record);
  record.determinism.client = window_record(series.loop().windows, series.gaps(), record.notes, "determinism.client");
  put_server_half(series, record);
  if (series.capture_failure()) {
    record.notes["port.client.capture"] = *series.capture_failure();
  }
  if (observed.drain_waits > 0) {
    record.notes["drain_waits"] = fmt::format(
        "after {} timeouts the next message waited for the drain, because one byte tells too few messages apart",
        observed.drain_waits);
  }
  return record;
}

report::RunFile begin_run_file(const ClientOptions& options) {
  report::RunFile run;
  run.tool = tool();
  run.label = options.label;
  run.started = platform::utc_now_rfc3339();
  run.plan = plan_json(options);
  return run;
}

ServerRunFile::ServerRunFile(const ServerOptions& options) : path_(options.report_path) {
  run_.tool = tool();
  run_.label = "server";
  run_.started = platform::utc_now_rfc3339();
  run_.notes["client"] = "a server's own file: the client's half is in the client's run file";
}

void ServerRunFile::add(const Arm& arm, Driver driver, const ServerReport& report, const report::EndRecord& end) {
  report::SeriesRecord& record = run_.series.emplace_back();
  record.protocol = name_of(arm.protocol);
  record.client_driver = "unknown";
  record.server_driver = name_of(driver);
  record.message_bytes = arm.message_bytes;
  record.accounting.server = report.accounting;
  record.determinism.server = report.window;
  record.port.server = report.port;
  record.blocked_waits.server = report.blocked_waits;
  record.notes = report.notes;
  for (const char* missing : {"fragments", "resume", "service", "response", "slip", "turnaround", "residence",
                              "determinism.client", "accounting.lost_up", "accounting.lost_down"}) {
    record.notes[missing] = "the client's half is in the client's run file";
  }
  run_.server = end;
  const auto written = report::write_run_file(path_, run_);
  if (!written) {
    fmt::print(stderr, "{}: {}\n", program_name(), written.failure().sentence);
  }
}

}  // namespace rtecho::pair

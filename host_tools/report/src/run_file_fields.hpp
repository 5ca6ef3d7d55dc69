// The fields of the run file, each named once: JsonWriter and JsonReader both walk these lists, so that the
// two directions cannot drift apart. Refuses to know JSON.
#pragma once

#include <concepts>
#include <type_traits>

#include "report/run_file.hpp"

namespace rtecho::report {

// A record to be read (const) or filled.
template <typename T, typename RecordType>
concept Is = std::same_as<std::remove_const_t<T>, RecordType>;

template <typename T>
inline constexpr bool is_both_ends = false;
template <typename T>
inline constexpr bool is_both_ends<BothEnds<T>> = true;

template <typename T>
concept IsBothEnds = is_both_ends<std::remove_const_t<T>>;

void describe(auto& visit, Is<ClientAccounting> auto& client) {
  visit("attempted", client.attempted);
  visit("sent", client.sent);
  visit("refused", client.refused);
  visit("skipped", client.skipped);
  visit("answered", client.answered);
  visit("late", client.late);
  visit("lost", client.lost);
  visit("unresolved", client.unresolved);
  visit("frames", client.frames);
  visit("duplicate", client.duplicate);
  visit("corrupt", client.corrupt);
  visit("malformed", client.malformed);
  visit("stray", client.stray);
  visit("reordered", client.reordered);
  visit("late_untimed", client.late_untimed);
  visit("warmup", client.warmup);
  visit("resume", client.resume);
}

void describe(auto& visit, Is<ServerAccounting> auto& server) {
  visit("frames", server.frames);
  visit("requests", server.requests);
  visit("repeated", server.repeated);
  visit("malformed", server.malformed);
  visit("unarmed", server.unarmed);
  visit("replies", server.replies);
  visit("reply_refused", server.reply_refused);
}

void describe(auto& visit, IsBothEnds auto& ends) {
  visit("client", ends.client);
  visit("server", ends.server);
}

void describe(auto& visit, Is<Tool> auto& tool) {
  visit("name", tool.name);
  visit("version", tool.version);
  visit("build", tool.build);
  visit("compiler", tool.compiler);
}

void describe(auto& visit, Is<EndRecord> auto& end) {
  visit("host", end.host);
  visit("granted", end.granted);
  visit("degraded", end.degraded);
}

void describe(auto& visit, Is<AccountingRecord> auto& accounting) {
  visit("client", accounting.client);
  visit("server", accounting.server);
  visit("lost_up", accounting.lost_up);
  visit("lost_down", accounting.lost_down);
}

void describe(auto& visit, Is<BatchRecord> auto& batch) {
  visit("n", batch.n);
  visit("min_ns", batch.min_ns);
  visit("max_ns", batch.max_ns);
}

void describe(auto& visit, Is<ResumeSummary> auto& resume) {
  visit("n", resume.n);
  visit("min_ns", resume.min_ns);
  visit("p50_ns", resume.p50_ns);
  visit("max_ns", resume.max_ns);
  visit("max_sequence", resume.max_sequence);
}

void describe(auto& visit, Is<LatencySummary> auto& summary) {
  visit("n", summary.n);
  visit("min_ns", summary.min_ns);
  visit("max_ns", summary.max_ns);
  visit("max_sequence", summary.max_sequence);
  visit("mean_ns", summary.mean_ns);
  visit("stddev_ns", summary.stddev_ns);
  visit("percentiles", summary.percentiles);
  visit("saturated", summary.saturated);
  visit("negative", summary.negative);
  visit("histogram", summary.histogram);
}

void describe(auto& visit, Is<SlowMessage> auto& message) {
  visit("sequence", message.sequence);
  visit("intended_ns", message.intended_ns);
  visit("send_ns", message.send_ns);
  visit("server_receive_ns", message.server_receive_ns);
  visit("server_send_ns", message.server_send_ns);
  visit("receive_ns", message.receive_ns);
}

void describe(auto& visit, Is<GapRecord> auto& gap) {
  visit("at_ns", gap.at_ns);
  visit("length_ns", gap.length_ns);
}

void describe(auto& visit, Is<WindowRecord> auto& window) {
  visit("heap_allocations", window.heap_allocations);
  visit("minor_faults", window.minor_faults);
  visit("major_faults", window.major_faults);
  visit("voluntary_switches", window.voluntary_switches);
  visit("involuntary_switches", window.involuntary_switches);
  visit("migrations", window.migrations);
  visit("interrupts", window.interrupts);
  visit("longest_gap_ns", window.longest_gap_ns);
  visit("gap_count", window.gap_count);
  visit("gaps", window.gaps);
  visit("steal_ns", window.steal_ns);
}

void describe(auto& visit, Is<DeterminismRecord> auto& determinism) {
  visit("client", determinism.client);
  visit("server", determinism.server);
}

void describe(auto& visit, Is<SeriesRecord> auto& series) {
  visit("protocol", series.protocol);
  visit("client_driver", series.client_driver);
  visit("server_driver", series.server_driver);
  visit("message_bytes", series.message_bytes);
  visit("fragments", series.fragments);
  visit("wait", series.wait);
  visit("blocked_waits", series.blocked_waits);
  visit("rests", series.rests);
  visit("accounting", series.accounting);
  visit("port", series.port);
  visit("elapsed_ns", series.elapsed_ns);
  visit("batches", series.batches);
  visit("batches_per_record", series.batches_per_record);
  visit("resume", series.resume);
  visit("service", series.service);
  visit("response", series.response);
  visit("slip", series.slip);
  visit("turnaround", series.turnaround);
  visit("residence", series.residence);
  visit("slowest", series.slowest);
  visit("determinism", series.determinism);
  visit("notes", series.notes);
}

void describe(auto& visit, Is<RunFile> auto& run) {
  visit("tool", run.tool);
  visit("realtime", run.realtime);
  visit("label", run.label);
  visit("started", run.started);
  visit("plan", run.plan);
  visit("client", run.client);
  visit("server", run.server);
  visit("series", run.series);
  visit("complete", run.complete);
  visit("warnings", run.warnings);
  visit("notes", run.notes);
}

}  // namespace rtecho::report

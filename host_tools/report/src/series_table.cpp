#include "report/series_table.hpp"

#include <fmt/format.h>

#include "text_table.hpp"

namespace rtecho::report {

namespace {

constexpr int decimals = 1;

std::optional<std::int64_t> percentile(const LatencySummary& summary, const char* name) {
  const auto found = summary.percentiles.find(name);
  return found != summary.percentiles.end() ? std::optional(found->second) : std::nullopt;
}

std::optional<std::int64_t> jitter(const LatencySummary& summary) {
  if (!summary.min_ns || !summary.max_ns) {
    return std::nullopt;
  }
  return *summary.max_ns - *summary.min_ns;
}

std::string waits(const SeriesRecord& series) {
  return fmt::format("client {}, server {}", series.wait.client, series.wait.server.value_or("unknown"));
}

std::string heading(const RunFile& run) {
  const std::string kind = run.realtime                   ? "real-time"
                           : run.tool.build == "realtime" ? "real-time build, realtime: false"
                                                          : "normal build";
  std::string text = fmt::format("{} {}, {}", run.tool.name, run.tool.version, kind);
  if (run.label != run.tool.build) {
    text += fmt::format(", label {}", printable(run.label));
  }
  if (!run.series.empty()) {
    text += fmt::format(", waits: {}", waits(run.series.front()));
  }
  return text + "; full round trips in us\n";
}

void add_latency_row(TextTable& table, const SeriesRecord& series, const std::string& name,
                     const std::optional<LatencySummary>& summary) {
  if (!summary) {
    return;
  }
  const auto us = [](std::optional<std::int64_t> ns) { return microseconds(ns, decimals); };
  const ClientAccounting& accounting = series.accounting.client;
  const bool of_service = &summary == &std::as_const(series).service;
  table.add_row({series.protocol, fmt::format("{}", series.message_bytes), name, fmt::format("{}", summary->n),
                 of_service ? fmt::format("{}", accounting.lost) : "", us(summary->min_ns),
                 us(percentile(*summary, "p50")), us(percentile(*summary, "p99")), us(percentile(*summary, "p99.9")),
                 us(summary->max_ns), us(jitter(*summary)),
                 of_service ? us(series.resume ? series.resume->max_ns : std::nullopt) : ""});
}

// What must be known to read the row right; empty for a clean series.
std::string remarks(const SeriesRecord& series) {
  const ClientAccounting& a = series.accounting.client;
  std::string text;
  const auto add = [&text](std::uint64_t count, const char* what) {
    if (count > 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
    }
  };
  add(a.late, "late");
  add(a.duplicate, "duplicate");
  add(a.reordered, "reordered");
  add(a.corrupt, "corrupt");
  add(a.malformed, "malformed");
  add(a.stray, "stray");
  add(a.refused, "refused by the driver");
  add(a.skipped, "skipped");
  add(a.unresolved, "unresolved");
  if (series.accounting.lost_up && series.accounting.lost_down && a.lost > 0) {
    text += fmt::format("{}lost on the way up {}, down {}", text.empty() ? "" : ", ", *series.accounting.lost_up,
                        *series.accounting.lost_down);
  }
  if (series.fragments.value_or(1) > 1) {
    text += fmt::format("{}{} fragments a message", text.empty() ? "" : ", ", *series.fragments);
  }
  if (series.wait.client == "spin*" || series.wait.server == "spin*") {
    text += fmt::format("{}a spinner blocked outside rests (spin*)", text.empty() ? "" : ", ");
  }
  return text.empty() ? text : fmt::format("{} {} B: {}\n", series.protocol, series.message_bytes, text);
}

}  // namespace

std::string series_table(const RunFile& run) {
  using Alignment = TextTable::Alignment;
  TextTable table({{"protocol", Alignment::left},
                   {"bytes"},
                   {"time", Alignment::left},
                   {"n"},
                   {"lost"},
                   {"min"},
                   {"p50"},
                   {"p99"},
                   {"p99.9"},
                   {"max"},
                   {"jitter"},
                   {"resume max"}});
  bool scheduled = false;
  std::string notes;
  for (const SeriesRecord& series : run.series) {
    add_latency_row(table, series, "service", series.service);
    add_latency_row(table, series, "response", series.response);
    scheduled = scheduled || series.response.has_value();
    notes += remarks(series);
  }
  std::string text = heading(run) + table.text(TableStyle::plain) + notes;
  if (!run.complete) {
    text += "INCOMPLETE: the run did not come to its end\n";
  }
  for (const std::string& reason : run.client.degraded) {
    text += fmt::format("DEGRADED, client: {}\n", printable(reason));
  }
  if (run.server) {
    for (const std::string& reason : run.server->degraded) {
      text += fmt::format("DEGRADED, server: {}\n", printable(reason));
    }
  }
  for (const std::string& warning : run.warnings) {
    text += fmt::format("warning: {}\n", printable(warning));
  }
  if (!scheduled && !run.series.empty()) {
    text += "no schedule: one stall is one sample, whatever its length; --rate shows what a periodic user sees\n";
  }
  return text;
}

}  // namespace rtecho::report

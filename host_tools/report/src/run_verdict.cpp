#include "report/run_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace rtecho::report {

namespace {

constexpr std::uint64_t full_form_bytes = 64;
constexpr std::uint64_t tag_form_bytes_max = 15;

std::string name_of(const SeriesRecord& series) {
  return fmt::format("{} {} B", series.protocol, series.message_bytes);
}

void judge_window(const std::optional<WindowRecord>& window, const std::string& wait, const std::string& where,
                  std::vector<std::string>& broken) {
  if (!window) {
    return;
  }
  const auto expect_none = [&](const std::optional<std::uint64_t>& count, const char* what) {
    if (count.value_or(0) > 0) {
      broken.push_back(fmt::format("{}: {} {} in the measured windows", where, *count, what));
    }
  };
  expect_none(window->heap_allocations, "heap calls");
  expect_none(window->minor_faults, "minor page faults");
  expect_none(window->major_faults, "major page faults");
  if (wait == "spin") {
    expect_none(window->voluntary_switches, "voluntary context switches while spinning");
  }
}

}  // namespace

std::vector<std::string> broken_promises(const RunFile& run) {
  std::vector<std::string> broken;
  for (const SeriesRecord& series : run.series) {
    judge_window(series.determinism.client, series.wait.client, name_of(series) + ", client", broken);
    judge_window(series.determinism.server, series.wait.server.value_or(""), name_of(series) + ", server", broken);
  }
  return broken;
}

std::vector<std::string> broken_equations(const RunFile& run) {
  std::vector<std::string> broken;
  for (const SeriesRecord& series : run.series) {
    if (!series.accounting.client.holds()) {
      broken.push_back(name_of(series) + ": the client's sums do not agree");
    }
    if (series.accounting.server && !series.accounting.server->holds()) {
      broken.push_back(name_of(series) + ": the server's sums do not agree");
    }
  }
  return broken;
}

ExitCode exit_code_of(const RunFile& run, std::uint64_t allowed_loss, bool strict) {
  const bool lost_or_corrupt = std::any_of(run.series.begin(), run.series.end(), [&](const SeriesRecord& series) {
    const ClientAccounting& accounting = series.accounting.client;
    return accounting.lost > allowed_loss || accounting.corrupt > 0;
  });
  if (lost_or_corrupt || !broken_equations(run).empty() || (strict && !broken_promises(run).empty())) {
    return ExitCode::verdict_negative;
  }
  const bool degraded = !run.client.degraded.empty() || (run.server && !run.server->degraded.empty());
  return degraded || !run.warnings.empty() ? ExitCode::not_reliable : ExitCode::clean;
}

void note_suspicious_minima(RunFile& run) {
  std::optional<std::int64_t> fastest;
  for (const SeriesRecord& series : run.series) {
    if (series.message_bytes >= full_form_bytes && series.service && series.service->min_ns) {
      fastest = std::min(fastest.value_or(*series.service->min_ns), *series.service->min_ns);
    }
  }
  if (!fastest) {
    return;
  }
  for (const SeriesRecord& series : run.series) {
    const ClientAccounting& accounting = series.accounting.client;
    const bool may_be_mistaken = accounting.late + accounting.lost + accounting.duplicate > 0;
    if (series.message_bytes <= tag_form_bytes_max && may_be_mistaken && series.service && series.service->min_ns &&
        *series.service->min_ns < *fastest / 4) {
      run.warnings.push_back(fmt::format(
          "{}: a minimum of {} ns is below a quarter of the fastest longer message ({} ns): a late reply met the "
          "wrong request; not a minimum",
          name_of(series), *series.service->min_ns, *fastest));
    }
  }
}

}  // namespace rtecho::report

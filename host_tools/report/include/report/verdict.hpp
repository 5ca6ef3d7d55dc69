// Run files judged against bounds. fail > inconclusive > pass: a measured breach fails whatever the number of
// samples; a run that is degraded, not completed or too short never passes; a rule that checks nothing does not
// pass either.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/bounds.hpp"
#include "report/series_key.hpp"

namespace rtecho::report {

// In the order of their weight.
enum class VerdictKind : std::uint8_t { pass, inconclusive, fail };

// One limit on one series of one run file; on all run files together for max_vs_baseline.
struct Verdict {
  VerdictKind kind = VerdictKind::pass;
  std::string source;  // the run file
  std::string series;  // "udp 64 B, socket/socket"
  std::string rule;    // the place in the bounds file
  std::string key;     // "max_us"
  double bound = 0;
  std::optional<double> measured;  // in the unit of the key
  std::uint64_t n = 0;             // samples behind `measured`
  std::optional<std::uint64_t> worst_sequence;
  std::vector<std::string> remarks;
};

[[nodiscard]] std::vector<Verdict> judge(const Bounds& bounds, std::span<const NamedRun> runs,
                                         std::span<const NamedRun> baseline);

// The heaviest. Inconclusive where there is no verdict at all.
[[nodiscard]] VerdictKind overall(std::span<const Verdict> verdicts);

[[nodiscard]] std::string text_of(VerdictKind kind);
// "max_us <= 60".
[[nodiscard]] std::string limit_text(const Verdict& verdict);
// "48.1 (n = 10000, worst at message #8123)"; says so where nothing was measured.
[[nodiscard]] std::string measured_text(const Verdict& verdict);

// Aligned table, one line per verdict, and one closing line.
[[nodiscard]] std::string verdict_table(std::span<const Verdict> verdicts);
[[nodiscard]] nlohmann::json verdict_json(std::span<const Verdict> verdicts);

}  // namespace rtecho::report

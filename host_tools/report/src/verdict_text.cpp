#include <fmt/format.h>

#include <algorithm>

#include "report/verdict.hpp"
#include "text_table.hpp"

namespace rtecho::report {
namespace {

// Three decimals are whole nanoseconds, so a breach by one is visible; zeros at the end say nothing.
std::string number_text(double value) {
  std::string text = fmt::format("{:.3f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) {
    text.pop_back();
  }
  return text;
}

std::string worst_text(const Verdict& verdict) {
  return verdict.worst_sequence ? fmt::format("#{}", *verdict.worst_sequence) : "-";
}

// A rule that matched nothing has no limit of its own.
bool has_limit(const Verdict& verdict) {
  return verdict.key != "matches";
}

std::string closing_line(std::span<const Verdict> verdicts) {
  const auto count = [&](VerdictKind kind) {
    return std::count_if(verdicts.begin(), verdicts.end(), [&](const Verdict& v) { return v.kind == kind; });
  };
  return fmt::format("{}: {} passed, {} inconclusive, {} failed\n", text_of(overall(verdicts)),
                     count(VerdictKind::pass), count(VerdictKind::inconclusive), count(VerdictKind::fail));
}

}  // namespace

std::string text_of(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::pass:
      return "pass";
    case VerdictKind::inconclusive:
      return "inconclusive";
    case VerdictKind::fail:
      break;
  }
  return "FAIL";
}

std::string limit_text(const Verdict& verdict) {
  return has_limit(verdict) ? fmt::format("{} <= {}", verdict.key, number_text(verdict.bound)) : verdict.rule;
}

std::string measured_text(const Verdict& verdict) {
  if (!verdict.measured) {
    return "not measured";
  }
  std::string text = fmt::format("{} (n = {}", number_text(*verdict.measured), verdict.n);
  if (verdict.worst_sequence) {
    text += fmt::format(", worst at message {}", worst_text(verdict));
  }
  return text + ")";
}

std::string verdict_table(std::span<const Verdict> verdicts) {
  const auto left = TextTable::Alignment::left;
  TextTable table({{"verdict", left},
                   {"series", left},
                   {"limit", left},
                   {"measured"},
                   {"n"},
                   {"at message"},
                   {"run file", left},
                   {"remarks", left}});
  for (const Verdict& verdict : verdicts) {
    table.add_row({text_of(verdict.kind), verdict.series, limit_text(verdict),
                   verdict.measured ? number_text(*verdict.measured) : "-", std::to_string(verdict.n),
                   worst_text(verdict), verdict.source, fmt::format("{}", fmt::join(verdict.remarks, "; "))});
  }
  return table.text(TableStyle::plain) + "\n" + closing_line(verdicts);
}

nlohmann::json verdict_json(std::span<const Verdict> verdicts) {
  nlohmann::json list = nlohmann::json::array();
  for (const Verdict& verdict : verdicts) {
    nlohmann::json entry = {{"verdict", verdict.kind == VerdictKind::fail ? "fail" : text_of(verdict.kind)},
                            {"run_file", verdict.source},
                            {"series", verdict.series},
                            {"rule", verdict.rule},
                            {"key", verdict.key},
                            {"bound", nullptr},
                            {"measured", nullptr},
                            {"n", verdict.n},
                            {"worst_sequence", nullptr},
                            {"remarks", verdict.remarks}};
    if (has_limit(verdict)) {
      entry["bound"] = verdict.bound;
    }
    if (verdict.measured) {
      entry["measured"] = *verdict.measured;
    }
    if (verdict.worst_sequence) {
      entry["worst_sequence"] = *verdict.worst_sequence;
    }
    list.push_back(entry);
  }
  const VerdictKind kind = overall(verdicts);
  return {{"overall", kind == VerdictKind::fail ? "fail" : text_of(kind)}, {"verdicts", list}};
}

}  // namespace rtecho::report

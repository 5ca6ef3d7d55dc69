#include "report/comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "report/reference_rtx.hpp"
#include "text_table.hpp"

namespace rtecho::report {
namespace {

constexpr std::int64_t short_ns = 10'000;

// One decimal is 100 ns, far below what a network echo varies by; an echo within the machine takes less than 10 µs
// and gets one more.
int decimals_for(const Comparison& comparison) {
  const bool any_short = std::any_of(comparison.series.begin(), comparison.series.end(), [](const ComparedSeries& s) {
    return s.candidate.min_ns.value_or(short_ns) < short_ns || s.baseline.min_ns.value_or(short_ns) < short_ns;
  });
  return any_short ? 2 : 1;
}

std::string ratio_text(const std::optional<RatioRange>& ratio) {
  if (!ratio) {
    return "-";
  }
  return ratio->pairs == 1 ? fmt::format("{:.2f} (1 pair)", ratio->median)
                           : fmt::format("{:.2f} ({:.2f}-{:.2f}, {} pairs)", ratio->median, ratio->lowest,
                                         ratio->highest, ratio->pairs);
}

std::vector<TextTable::Column> columns_of(const Comparison& comparison) {
  const auto left = TextTable::Alignment::left;
  return {{"series", left},
          {"build", left},
          {"n"},
          {"min µs"},
          {"p99.9 µs"},
          {"max µs"},
          {"at message"},
          {"median max µs"},
          {"jitter µs"},
          {"resume max µs"},
          {"lost"},
          {"errors"},
          {fmt::format("max {} / {}", comparison.baseline.name, comparison.candidate.name), left}};
}

std::vector<std::string> row_of(const std::string& series, const std::string& name, const SeriesFigures& figures,
                                const std::string& ratio, int decimals) {
  return {series,
          name,
          std::to_string(figures.n),
          microseconds(figures.min_ns, decimals),
          microseconds(figures.p99_9_ns, decimals),
          microseconds(figures.max_ns, decimals),
          figures.max_ns ? fmt::format("#{}", figures.max_sequence) : "-",
          microseconds(figures.median_of_maxima_ns, decimals),
          microseconds(figures.jitter_ns(), decimals),
          microseconds(figures.resume_max_ns, decimals),
          std::to_string(figures.lost),
          std::to_string(figures.errors),
          ratio};
}

// The source gives minimum and maximum only, in whole µs.
std::vector<std::string> row_of(const std::string& name, const PublishedResult& result, const std::string& ratio) {
  return {"",
          name,
          std::to_string(result.messages),
          std::to_string(result.min_us),
          "-",
          std::to_string(result.max_us),
          "-",
          "-",
          std::to_string(result.max_us - result.min_us),
          "-",
          std::to_string(result.lost),
          std::to_string(result.errors),
          ratio};
}

void add_reference_rows(TextTable& table, const SeriesKey& key) {
  const PublishedResult* rtx = published_result(key.protocol, key.message_bytes, "rtx");
  const PublishedResult* windows = published_result(key.protocol, key.message_bytes, "windows");
  const std::optional<double> ratio = published_max_ratio(key.protocol, key.message_bytes);
  if (rtx != nullptr) {
    table.add_row(row_of("RTX, published", *rtx, ratio ? fmt::format("{:.2f} (Windows / RTX)", *ratio) : "-"));
  }
  if (windows != nullptr) {
    table.add_row(row_of("Windows, published", *windows, ""));
  }
}

TextTable table_of(const Comparison& comparison, Reference reference) {
  TextTable table(columns_of(comparison));
  const int decimals = decimals_for(comparison);
  for (const ComparedSeries& series : comparison.series) {
    if (&series != &comparison.series.front()) {
      table.add_gap();
    }
    table.add_row(row_of(short_text(series.key), comparison.candidate.name, series.candidate, ratio_text(series.ratio),
                         decimals));
    table.add_row(row_of("", comparison.baseline.name, series.baseline, "", decimals));
    if (reference == Reference::rtx) {
      add_reference_rows(table, series.key);
    }
  }
  return table;
}

std::string group_heading(const ComparedGroup& group) {
  std::string text =
      fmt::format("{}: {} run{}, label \"{}\", waits: {}\n", group.name, group.runs, group.runs == 1 ? "" : "s",
                  fmt::join(group.labels, "\", \""), fmt::join(group.waits, "; "));
  if (group.runs_not_realtime > 0) {
    text += fmt::format("  NOT REAL-TIME: {} of {} runs gave up an ingredient or were not granted it\n",
                        group.runs_not_realtime, group.runs);
  }
  if (group.runs_in_doubt > 0) {
    text +=
        fmt::format("  DEGRADED: {} of {} runs: {}\n", group.runs_in_doubt, group.runs, fmt::join(group.doubts, "; "));
  }
  return text;
}

std::string drivers_text(const Comparison& comparison) {
  std::set<std::string> drivers;
  for (const ComparedSeries& series : comparison.series) {
    const std::string& server = series.key.server_driver;
    drivers.insert(fmt::format("{}/{}", series.key.client_driver, server.empty() ? "unknown" : server));
  }
  return fmt::format("{}", fmt::join(drivers, ", "));
}

std::string heading(const Comparison& comparison) {
  std::string text = fmt::format("{} against {}: full round trips; drivers (client/server): {}{}\n",
                                 comparison.candidate.name, comparison.baseline.name, drivers_text(comparison),
                                 comparison.waits_differ() ? "; waits differ" : "");
  return text + group_heading(comparison.candidate) + group_heading(comparison.baseline);
}

std::string unmatched(const ComparedGroup& group, const std::vector<SeriesKey>& keys) {
  std::vector<std::string> names;
  std::transform(keys.begin(), keys.end(), std::back_inserter(names), full_text);
  return names.empty() ? "" : fmt::format("only in {}: {}\n", group.name, fmt::join(names, "; "));
}

// Every line of prose may hold text from a file.
std::string printable_lines(const std::string& text, const char* line_end) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    out += printable(std::string_view(text).substr(at, end - at)) + line_end;
    at = end + 1;
  }
  return out;
}

}  // namespace

std::string summary_sentence(const Comparison& comparison) {
  std::vector<double> ratios;
  const ComparedSeries* worst = nullptr;
  for (const ComparedSeries& series : comparison.series) {
    if (series.ratio) {
      ratios.push_back(series.ratio->median);
      worst = worst == nullptr || series.candidate.max_ns > worst->candidate.max_ns ? &series : worst;
    }
  }
  if (ratios.empty()) {
    return "No series has a maximum on both sides, so there is no ratio.";
  }
  const double median = *median_of(ratios);
  const auto [lowest, highest] = std::minmax_element(ratios.begin(), ratios.end());
  const std::string largest =
      fmt::format("the largest {} maximum was {} µs ({}, n = {})", comparison.candidate.name,
                  microseconds(worst->candidate.max_ns, 1), short_text(worst->key), worst->candidate.n);
  if (comparison.of_one_build()) {
    return fmt::format(
        "Two groups of one build, so this is the noise: over {} series the maxima differ by {:.2f} to "
        "{:.2f} times (median {:.2f}); {}.",
        ratios.size(), *lowest, *highest, median, largest);
  }
  const auto lower = std::count_if(ratios.begin(), ratios.end(), [](double ratio) { return ratio > 1; });
  return fmt::format(
      "In {} of {} series the {} maximum was lower than the {} one; the median of the ratios is {:.2f} "
      "({:.2f} to {:.2f}); {}.",
      lower, ratios.size(), comparison.candidate.name, comparison.baseline.name, median, *lowest, *highest, largest);
}

std::string comparison_text(const Comparison& comparison, TextFormat format, Reference reference) {
  const bool markdown = format == TextFormat::markdown;
  // Markdown joins lines of a paragraph; a backslash at the end keeps them apart.
  const char* line_end = markdown ? "\\\n" : "\n";
  std::string text = printable_lines(heading(comparison), line_end) + "\n";
  text += table_of(comparison, reference).text(markdown ? TableStyle::markdown : TableStyle::plain) + "\n";
  text += printable_lines(unmatched(comparison.candidate, comparison.only_in_candidate) +
                              unmatched(comparison.baseline, comparison.only_in_baseline),
                          line_end);
  return text + printable(summary_sentence(comparison)) + "\n";
}

}  // namespace rtecho::report

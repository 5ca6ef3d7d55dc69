#include "compare_command.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "report/comparison.hpp"
#include "report/comparison_text.hpp"
#include "report/exit_code.hpp"
#include "report/outcome.hpp"
#include "report/text_file.hpp"

namespace rtecho::host {
namespace {

using report::ExitCode;

struct CompareOptions {
  std::vector<std::string> files;
  std::vector<std::string> baseline_labels;
  std::string reference;  // empty: none
  std::string format = "table";
};

ExitCode complain(const report::Failure& failure) {
  fmt::print(stderr, "rtecho-host compare: {}\n", failure.sentence);
  return failure.kind == report::FailureKind::system ? ExitCode::machine_refused : ExitCode::usage;
}

std::string text_of(const std::vector<report::Comparison>& comparisons, const CompareOptions& options) {
  const auto reference = options.reference == "rtx" ? report::Reference::rtx : report::Reference::none;
  if (options.format == "json") {
    nlohmann::json list = nlohmann::json::array();
    for (const report::Comparison& comparison : comparisons) {
      list.push_back(report::comparison_json(comparison, reference));
    }
    return list.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  const auto format = options.format == "markdown" ? report::TextFormat::markdown : report::TextFormat::table;
  std::string text;
  for (const report::Comparison& comparison : comparisons) {
    text += (text.empty() ? "" : "\n") + report::comparison_text(comparison, format, reference);
  }
  return text;
}

ExitCode run(const CompareOptions& options) {
  const report::Outcome<std::vector<report::NamedRun>> runs = report::read_runs(options.files);
  if (!runs) {
    return complain(runs.failure());
  }
  const report::Outcome<std::vector<report::Comparison>> comparisons =
      report::compare(runs.value(), options.baseline_labels);
  if (!comparisons) {
    return complain(comparisons.failure());
  }
  const report::Outcome<report::Done> written = report::write_text_file("-", text_of(comparisons.value(), options));
  return written ? ExitCode::clean : complain(written.failure());
}

}  // namespace

void add_compare_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand(
      "compare",
      "Set run files side by side: the real-time build against the normal one, or two labels of one build.\n"
      "Prints, for each protocol and message size, minimum, p99.9, maximum, jitter, loss and errors of both in µs,\n"
      "and how many times lower the maximum is (median of neighbouring runs).");
  command->add_option("FILE", options->files, "Run files, in any order: they are ordered by their start")->required();
  command
      ->add_option("--reference", options->reference,
                   "Published results to put below each size: RTX and Windows XP on a gigabit link (default: none)")
      ->check(CLI::IsMember({"rtx"}));
  command->add_option("--format", options->format, "Form of the result on standard output")
      ->check(CLI::IsMember({"table", "markdown", "json"}))
      ->capture_default_str();
  command
      ->add_option("--baseline-label", options->baseline_labels,
                   "Label of the runs to compare against, may be repeated (default: the normal build; of one build\n"
                   "with two labels, the label that started first)")
      ->allow_extra_args(false);
  command->callback([options, &exit_code] { exit_code = static_cast<int>(run(*options)); });
}

}  // namespace rtecho::host

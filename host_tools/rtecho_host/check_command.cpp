#include "check_command.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/bounds.hpp"
#include "report/exit_code.hpp"
#include "report/junit.hpp"
#include "report/outcome.hpp"
#include "report/text_file.hpp"
#include "report/verdict.hpp"

namespace rtecho::host {
namespace {

using report::ExitCode;

struct CheckOptions {
  std::vector<std::string> files;
  std::vector<std::string> baseline_files;
  std::string bounds_file;
  std::string junit_file;  // empty: none
  std::string format = "table";
};

ExitCode complain(const report::Failure& failure) {
  fmt::print(stderr, "rtecho-host check: {}\n", failure.sentence);
  return failure.kind == report::FailureKind::system ? ExitCode::machine_refused : ExitCode::usage;
}

ExitCode exit_code_of(report::VerdictKind kind) {
  switch (kind) {
    case report::VerdictKind::pass:
      return ExitCode::clean;
    case report::VerdictKind::inconclusive:
      return ExitCode::not_reliable;
    case report::VerdictKind::fail:
      break;
  }
  return ExitCode::verdict_negative;
}

std::string text_of(const std::vector<report::Verdict>& verdicts, std::string_view format) {
  if (format == "table") {
    return report::verdict_table(verdicts);
  }
  return report::verdict_json(verdicts).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

ExitCode run(const CheckOptions& options) {
  // The bounds first: a gate with a mistake in it must say so whatever was measured.
  const report::Outcome<report::Bounds> bounds = report::read_bounds(options.bounds_file);
  if (!bounds) {
    return complain(bounds.failure());
  }
  const report::Outcome<std::vector<report::NamedRun>> runs = report::read_runs(options.files);
  if (!runs) {
    return complain(runs.failure());
  }
  const report::Outcome<std::vector<report::NamedRun>> baseline = report::read_runs(options.baseline_files);
  if (!baseline) {
    return complain(baseline.failure());
  }
  const std::vector<report::Verdict> verdicts = report::judge(bounds.value(), runs.value(), baseline.value());
  const report::Outcome<report::Done> printed = report::write_text_file("-", text_of(verdicts, options.format));
  if (!printed) {
    return complain(printed.failure());
  }
  if (!options.junit_file.empty()) {
    const report::Outcome<report::Done> written =
        report::write_text_file(options.junit_file, report::junit_xml(verdicts));
    if (!written) {
      return complain(written.failure());
    }
  }
  return exit_code_of(report::overall(verdicts));
}

}  // namespace

void add_check_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand(
      "check",
      "Judge run files against bounds. One verdict for each limit and series: FAIL (exit 1) for a measured breach,\n"
      "inconclusive (exit 4) for a run that is degraded, not completed or too short, else pass (exit 0).");
  command->add_option("FILE", options->files, "Run files")->required();
  command
      ->add_option("--bounds", options->bounds_file,
                   "TOML file with [defaults] and [[bound]]; times in µs, example: tests/acceptance/bounds.toml")
      ->required();
  command->add_option(
      "--baseline", options->baseline_files,
      "Run files that max_vs_baseline compares with: three or more, measured interleaved (default: none)");
  command->add_option("--junit", options->junit_file,
                      "Write the verdicts as JUnit XML too; inconclusive is a failure there (default: none)");
  command->add_option("--format", options->format, "Form of the result on standard output")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  command->callback([options, &exit_code] { exit_code = static_cast<int>(run(*options)); });
}

}  // namespace rtecho::host

#include "process_setup.hpp"

#include <fmt/format.h>

#include <vector>

#include "platform/capabilities.hpp"
#include "platform/network_namespace.hpp"
#include "report/program_failure.hpp"
#include "report/text_file.hpp"
#include "sentences.hpp"

namespace rtecho::pair {

using report::ExitCode;
using report::ProgramFailure;

platform::StopFlag install_stop_flag() {
  auto flag = platform::StopFlag::install();
  if (!flag) {
    throw ProgramFailure(ExitCode::machine_refused, sentence_of(flag.error()));
  }
  return std::move(flag).value();
}

void enter_namespace(const std::string& name) {
  if (name.empty()) {
    return;
  }
  const auto entered = platform::enter_network_namespace(name);
  if (entered) {
    return;
  }
  switch (entered.error().status) {
    case Status::invalid:
      throw ProgramFailure(ExitCode::usage, fmt::format("--netns {}: not a name", name));
    case Status::not_found:
      throw ProgramFailure(ExitCode::machine_refused,
                           fmt::format("--netns {}: there is no such namespace; make it with rtecho-host link up, or "
                                       "see ip netns list",
                                       name));
    case Status::denied:
      throw ProgramFailure(
          ExitCode::machine_refused,
          fmt::format("--netns {}: not permitted; entering needs CAP_SYS_ADMIN (run with sudo)", name));
    default:
      throw ProgramFailure(ExitCode::machine_refused,
                           fmt::format("--netns {}: {}", name, sentence_of(entered.error())));
  }
}

void check_thread_options(const ThreadOptions& options) {
  if (!options.plan.cpu) {
    return;
  }
  if (!platform::check_cpu(*options.plan.cpu)) {
    throw ProgramFailure(ExitCode::machine_refused, fmt::format("--cpu {}: this process may use the cores {}",
                                                                *options.plan.cpu, platform::allowed_cpus_text()));
  }
}

void check_output(const std::string& path) {
  if (path.empty()) {
    return;
  }
  const auto writable = report::check_writable(path);
  if (!writable) {
    throw ProgramFailure(ExitCode::machine_refused, writable.failure().sentence);
  }
}

void keep_needed_capabilities(bool writes_files, bool opens_frames) {
  using platform::Capability;
  // net_admin: socket buffers above net.core.rmem_max, which windows of large messages need.
  std::vector<Capability> needed{Capability::net_admin};
  if (platform::build_is_realtime()) {
    needed.insert(needed.end(), {Capability::sys_nice, Capability::ipc_lock});
  }
  if (opens_frames) {
    needed.push_back(Capability::net_raw);
  }
  if (writes_files) {
    needed.push_back(Capability::dac_override);
  }
  const auto kept = platform::keep_only_capabilities(needed);
  if (!kept) {
    throw ProgramFailure(ExitCode::machine_refused, sentence_of(kept.error()));
  }
}

}  // namespace rtecho::pair

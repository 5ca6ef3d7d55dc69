// The background load of a campaign: `stress-ng --cpu 2 --switch 2 --sock 1`, started once and kept for all runs.
#pragma once

#include <string>

#include "platform/stop_flag.hpp"
#include "rtecho_host/child_process.hpp"

namespace rtecho::host {

class Load {
 public:
  // Starts it and gives its workers a moment to begin. Throws ProgramFailure (machine_refused) where stress-ng is
  // missing or ends at once.
  explicit Load(const platform::StopFlag& stop);
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  ~Load();

  // Throws ProgramFailure (not_reliable) when it is not running any more: what was measured since the last check
  // cannot be compared with the rest.
  void require_running();

  [[nodiscard]] static std::string command();
  // What stress-ng says about itself.
  [[nodiscard]] const std::string& version() const noexcept { return version_; }

 private:
  std::string program_;
  std::string version_;
  ChildProcess process_;
};

}  // namespace rtecho::host

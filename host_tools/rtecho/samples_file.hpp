// Every answered message as a line of CSV (--samples). Written by the ordinary thread while the run goes on.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "rt_core/event_log.hpp"
#include "rt_core/run_plan.hpp"

namespace rtecho::pair {

class SamplesFile {
 public:
  // Throws ProgramFailure (machine_refused) where it cannot be made.
  explicit SamplesFile(const std::string& path);

  void begin_series(Protocol protocol, std::uint32_t message_bytes);
  void add(const Event& event);
  // Flushes and closes. Throws ProgramFailure where the disk was full.
  void finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string series_;
};

}  // namespace rtecho::pair

// What a person watches while the run goes on: one line on a terminal, nothing elsewhere.
#pragma once

#include <cstdint>
#include <string>

#include "rt_core/event_log.hpp"
#include "rt_core/run_plan.hpp"

namespace rtecho::pair {

class ProgressLine {
 public:
  // Only where stderr is a terminal.
  ProgressLine();
  ~ProgressLine() { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void begin_series(Protocol protocol, std::uint32_t message_bytes, const ClientPlan& plan, std::size_t index,
                    std::size_t count);
  // A batch that ended.
  void show(const Event& batch);
  void erase();

 private:
  bool on_terminal_;
  std::size_t shown_ = 0;  // characters of the line that stands there
  std::string series_;
  std::uint64_t planned_ = 0;  // 0: a time, not a count
};

}  // namespace rtecho::pair

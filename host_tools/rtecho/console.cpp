#include "console.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "platform/terminal.hpp"
#include "quantities.hpp"

namespace rtecho::pair {

ProgressLine::ProgressLine() : on_terminal_(platform::standard_error_is_terminal()) {}

void ProgressLine::begin_series(Protocol protocol, std::uint32_t message_bytes, const ClientPlan& plan,
                                std::size_t index, std::size_t count) {
  series_ = fmt::format("[{}/{}] {} {} B", index + 1, count, name_of(protocol), message_bytes);
  planned_ = plan.run_for > Duration{} ? 0 : plan.count;
}

void ProgressLine::show(const Event& batch) {
  if (!on_terminal_) {
    return;
  }
  const std::string progress =
      planned_ == 0 ? fmt::format("{}", batch.sequence) : fmt::format("{} of {}", batch.sequence, planned_);
  const std::string line =
      fmt::format("{}: {}, maximum so far {:.1f} us", series_, progress, static_cast<double>(batch.value_ns) / 1000.0);
  const std::size_t blanks = shown_ > line.size() ? shown_ - line.size() : 0;
  fmt::print(stderr, "\r{}{:{}}", line, "", blanks);
  std::fflush(stderr);
  shown_ = line.size();
}

void ProgressLine::erase() {
  if (shown_ > 0) {
    fmt::print(stderr, "\r{:{}}\r", "", shown_);
    shown_ = 0;
  }
}

}  // namespace rtecho::pair

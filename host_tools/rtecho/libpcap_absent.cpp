#include "libpcap.hpp"
#include "report/program_failure.hpp"

namespace rtecho::pair::libpcap {

namespace {

[[noreturn]] void refuse() {
  throw report::ProgramFailure(report::ExitCode::machine_refused,
                               "this program was built without libpcap (Debian: libpcap-dev)");
}

}  // namespace

bool is_present() {
  return false;
}

const FrameDriver& frame_driver() {
  refuse();
}

std::optional<std::string> write_capture(const std::string&, std::span<const drivers::TraceRecord>) {
  refuse();
}

std::string interface_list() {
  refuse();
}

}  // namespace rtecho::pair::libpcap

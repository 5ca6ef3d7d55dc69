// The command line of the pair: what was asked, checked as far as it can be without touching the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "link_options.hpp"
#include "platform/bootstrap.hpp"
#include "report/exit_code.hpp"
#include "rt_core/run_plan.hpp"

namespace rtecho::pair {

inline constexpr std::uint16_t default_control_port = 7007;

// What both ends may ask for their measuring thread.
struct ThreadOptions {
  platform::ThreadPlan plan;
  WaitMode wait = WaitMode::spin;
  bool strict = false;

  // Every ingredient of a real-time run was asked for. Whether it was granted is another question.
  [[nodiscard]] bool asks_for_realtime() const {
    return platform::build_is_realtime() && plan.policy == platform::SchedulingPolicy::fifo && plan.cpu.has_value() &&
           plan.lock_memory;
  }
};

// What the two ends of a link without a control channel were told beforehand (--no-control).
struct UncontrolledOptions {
  bool no_control = false;
  std::uint64_t session = 0;
  std::uint32_t message_bytes = 64;  // of a server; a client's is its --sizes
};

struct ServerOptions {
  // Addresses are kept as text: the scope of "fe80::1%eth0" is looked up in the network namespace, entered later.
  std::string bind = "127.0.0.1";
  std::uint16_t control_port = default_control_port;
  std::uint16_t data_port = 0;  // 0: any free one
  std::string network_namespace;
  LinkOptions link;
  UncontrolledOptions uncontrolled;
  bool list_interfaces = false;
  ThreadOptions thread;
  std::vector<std::string> allowed;  // data addresses other than the control connection's
  std::string key_file;
  std::string report_path;
  std::optional<Duration> run_for;
  int ready_descriptor = -1;
};

struct ClientOptions {
  std::string server;  // ADDRESS[:PORT]
  std::string network_namespace;
  LinkOptions link;
  UncontrolledOptions uncontrolled;
  ThreadOptions thread;
  Protocol protocol = Protocol::udp;
  std::vector<std::uint32_t> sizes;
  ClientPlan plan;  // of every series, but for its shape
  std::uint64_t allowed_loss = 0;
  std::string data_address;  // where the server shall send; empty: here
  Duration wait_for_server;
  std::string key_file;
  std::string label;
  std::string out_path;
  std::string samples_path;
};

// The whole command, or the exit code of one that ends here (--help, --version, a usage error, all printed).
using Command = std::variant<ServerOptions, ClientOptions, report::ExitCode>;

[[nodiscard]] Command parse_command_line(int argument_count, const char* const* arguments);

}  // namespace rtecho::pair

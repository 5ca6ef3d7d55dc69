#include "server.hpp"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>

#include "control_server.hpp"
#include "frame_link.hpp"
#include "key_file.hpp"
#include "process_setup.hpp"
#include "ready_line.hpp"
#include "report/program_failure.hpp"
#include "run_writer.hpp"
#include "sentences.hpp"
#include "uncontrolled_server.hpp"

namespace rtecho::pair {

namespace asio = boost::asio;

namespace {

// Ends the event loop when a signal or the time limit says so.
class StopWatch {
 public:
  StopWatch(asio::io_context& events, const platform::StopFlag& flag, std::optional<Duration> run_for)
      : descriptor_(events, flag.wake_descriptor()), timer_(events) {
    const auto stop = [&events](const boost::system::error_code& error) {
      if (!error) {
        events.stop();
      }
    };
    descriptor_.async_wait(asio::posix::stream_descriptor::wait_read, stop);
    if (run_for) {
      timer_.expires_after(std::chrono::nanoseconds(run_for->ns()));
      timer_.async_wait(stop);
    }
  }
  ~StopWatch() { descriptor_.release(); }  // the flag owns it
  StopWatch(const StopWatch&) = delete;
  StopWatch& operator=(const StopWatch&) = delete;

 private:
  asio::posix::stream_descriptor descriptor_;
  asio::steady_timer timer_;
};

}  // namespace

report::ExitCode run_server(const ServerOptions& options) {
  const platform::StopFlag stop = install_stop_flag();
  enter_namespace(options.network_namespace);
  check_thread_options(options.thread);
  check_output(options.link.capture_path);
  if (options.uncontrolled.no_control) {
    return run_uncontrolled_server(options, stop);
  }
  const drivers::Address bind = address_of("--bind", options.bind, options.control_port);
  std::vector<drivers::Address> allowed;
  for (const std::string& text : options.allowed) {
    allowed.push_back(address_of("--allow", text, 0));
  }
  const std::string key = options.key_file.empty() ? std::string() : read_key_file(options.key_file);
  check_output(options.report_path);

  asio::io_context events(1);
  std::optional<FrameLink> frames;
  if (options.link.moves_frames()) {
    frames.emplace(options.link);
  }
  ControlServer control(events, options, bind, allowed, key, frames ? &*frames : nullptr);
  ServerRunFile run_file(options);
  if (!options.report_path.empty()) {
    control.on_series_end = [&run_file](const Arm& arm, Driver driver, const ServerReport& report,
                                        const report::EndRecord& end) { run_file.add(arm, driver, report, end); };
  }
  keep_needed_capabilities(!options.report_path.empty() || !options.link.capture_path.empty(),
                           options.link.moves_frames());
  const StopWatch watch(events, stop, options.run_for);
  announce_ready(options.ready_descriptor, bind.host_text(), control.port());
  fmt::print(stderr, "{}: ready on {}\n", program_name(), bind.with_port(control.port()).text());
  events.run();
  control.shut_down();
  // What the sessions still have to say, "report" and the end of their connections, leaves here.
  events.restart();
  events.run_for(std::chrono::milliseconds(50));
  return report::ExitCode::clean;
}

}  // namespace rtecho::pair

// The client's end of the control channel: questions with a deadline, and a keep-alive while the measuring thread
// works. Used by one ordinary thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "drivers/address.hpp"
#include "line_channel.hpp"
#include "platform/stop_flag.hpp"
#include "rt_core/time.hpp"

namespace rtecho::pair {

class ControlClient {
 public:
  // Connects and introduces itself. Tries again for `patience` where the server is absent or busy. Throws
  // ProgramFailure: peer_absent with the reason, interrupted where the user stopped it.
  ControlClient(const drivers::Address& server, const std::string& key, Duration patience,
                const platform::StopFlag& stop);
  ~ControlClient();
  ControlClient(const ControlClient&) = delete;
  ControlClient& operator=(const ControlClient&) = delete;

  // Sends and waits for the answer. Throws ProgramFailure (peer_absent) where none comes, or the server refuses.
  [[nodiscard]] nlohmann::json ask(const nlohmann::json& request, Duration timeout);
  // The same after a stop, for the server's half of the run. Null where it does not come.
  [[nodiscard]] nlohmann::json ask_at_end(const nlohmann::json& request, Duration timeout);
  // The next message, where the server speaks without being asked. Throws like ask().
  [[nodiscard]] nlohmann::json await(Duration timeout);
  void send(const nlohmann::json& message);
  // Lets the channel work for this long, or until it ends; keeps the server informed that we live.
  void run_for(Duration length);
  [[nodiscard]] bool is_open() const { return channel_ && channel_->is_open(); }

  [[nodiscard]] const drivers::Address& server() const { return server_; }
  // This host's address on the way to the server.
  [[nodiscard]] const drivers::Address& local() const { return local_; }

 private:
  enum class Attempt { welcome, try_again };

  Attempt try_once(const std::string& key, std::string& reason);
  void connect();
  Attempt introduce(const std::string& key, std::string& reason);
  // Null where nothing came. Throws `interrupted` where the user stopped the program meanwhile, unless `hurried`: the
  // end of a run is asked for after the stop.
  [[nodiscard]] nlohmann::json receive(Duration timeout, bool hurried = false);

  boost::asio::io_context events_;
  const platform::StopFlag& stop_;
  drivers::Address server_;
  drivers::Address local_;
  std::shared_ptr<LineChannel> channel_;
  std::deque<nlohmann::json> received_;
  Instant last_alive_;
};

}  // namespace rtecho::pair

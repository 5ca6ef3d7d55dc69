// One client's control connection, as the server sees it: hello, proof, and its series one after the other.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "control_messages.hpp"
#include "control_server.hpp"
#include "line_channel.hpp"
#include "server_series.hpp"

namespace rtecho::pair {

class ControlClientSession : public std::enable_shared_from_this<ControlClientSession> {
 public:
  ControlClientSession(ControlServer& server, std::shared_ptr<LineChannel> channel);
  ~ControlClientSession();

  void start();
  // Says why and ends.
  void refuse(const std::string& reason);
  void end();

 private:
  enum class State { awaiting_hello, awaiting_proof, idle, connecting, armed };

  void take(const nlohmann::json& message);
  void take_hello(const nlohmann::json& message);
  void take_proof(const nlohmann::json& message);
  void welcome();
  void take_arm(const nlohmann::json& message);
  void take_probe(const nlohmann::json& message);
  void take_end();
  void become_idle();

  // The address that the data goes to, or why it may not.
  [[nodiscard]] std::optional<drivers::Address> data_address(const Arm& arm);
  [[nodiscard]] std::optional<std::string> untestable_reason(const Arm& arm) const;
  void send_probes(std::size_t sent);
  void await_connection();
  void take_connection(Result<drivers::TcpConnection> connection);
  void start_series(std::unique_ptr<DataPort> port);
  void drop_series();

  ControlServer& server_;
  std::shared_ptr<LineChannel> channel_;
  State state_ = State::awaiting_hello;
  std::string challenge_;
  drivers::Address local_;
  drivers::Address peer_;
  Arm arm_;
  report::EndRecord end_record_;
  std::shared_ptr<DataPathOffer> offer_;  // shared with the thread that accepts
  std::unique_ptr<ServerSeries> series_;
  boost::asio::steady_timer probe_timer_;
  std::thread accepting_;
  std::shared_ptr<std::atomic<bool>> accepting_cancelled_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace rtecho::pair

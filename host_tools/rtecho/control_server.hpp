// The server's control channel: who may measure, one at a time, and what each step of a series needs from both ends.
// An event loop in one ordinary thread; nothing here is on the path of a message.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "control_messages.hpp"
#include "line_channel.hpp"
#include "options.hpp"
#include "server_series.hpp"

namespace rtecho::pair {

class ControlClientSession;

class ControlServer {
 public:
  // `frames`: where the server's driver moves frames, else null. Throws ProgramFailure where the address or the port
  // cannot be had.
  ControlServer(boost::asio::io_context& events, const ServerOptions& options, const drivers::Address& bind,
                const std::vector<drivers::Address>& allowed, std::string key, const FrameLink* frames);
  ~ControlServer();

  [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  // Called with both halves' names for each series that ended; for --report.
  std::function<void(const Arm&, Driver, const ServerReport&, const report::EndRecord&)> on_series_end;
  // Ends every session.
  void shut_down();

 private:
  friend class ControlClientSession;

  void accept_next();
  void admit(boost::asio::ip::tcp::socket socket);
  // Of this series: tcp goes over sockets whatever the driver, so there is none.
  [[nodiscard]] const FrameLink* frame_link_of(const Arm& arm) const {
    return arm.protocol == Protocol::tcp ? nullptr : frames_;
  }
  [[nodiscard]] Driver driver_of(const Arm& arm) const {
    return frame_link_of(arm) == nullptr ? Driver::socket : options_.link.driver;
  }
  // The one session that may measure; none: the server is free.
  [[nodiscard]] bool take_turn(const ControlClientSession* session);
  void forget(const ControlClientSession* session);

  boost::asio::io_context& events_;
  const ServerOptions& options_;
  drivers::Address bind_;
  std::vector<drivers::Address> allowed_;
  std::string key_;
  const FrameLink* frames_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer accept_again_;
  std::list<std::shared_ptr<ControlClientSession>> sessions_;
  const ControlClientSession* in_turn_ = nullptr;
};

}  // namespace rtecho::pair

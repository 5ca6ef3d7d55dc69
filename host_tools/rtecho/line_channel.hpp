// A TCP connection that carries control lines, for an event loop: bounded lines in, queued lines out, one deadline.
// Knows nothing of what the lines mean.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "rt_core/time.hpp"

namespace rtecho::pair {

class LineChannel : public std::enable_shared_from_this<LineChannel> {
 public:
  enum class End { closed_by_peer, bad_line, deadline, closed_here };

  // At most one of the two is called at a time, from the event loop. `on_end` is the last call, and comes once.
  struct Handlers {
    std::function<void(const nlohmann::json&)> on_message;
    std::function<void(End)> on_end;
  };

  static std::shared_ptr<LineChannel> create(boost::asio::ip::tcp::socket socket, std::size_t line_bytes_max);

  void start(Handlers handlers);
  void send(const nlohmann::json& message);
  // Ends the channel when no message has come for this long, counted from now and from each message.
  void set_silence_limit(Duration limit);
  // Ends it at this time from now, whatever comes. Replaces the silence limit.
  void set_deadline(Duration from_now);
  // What was sent before still goes out.
  void close();

  [[nodiscard]] const boost::asio::ip::tcp::socket& socket() const { return socket_; }
  [[nodiscard]] bool is_open() const { return !ended_; }

 private:
  LineChannel(boost::asio::ip::tcp::socket socket, std::size_t line_bytes_max);
  void read_next();
  void take_line(std::size_t bytes);
  void write_next();
  void arm_timer(Duration from_now);
  void end(End reason);

  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer timer_;
  std::size_t line_bytes_max_;
  std::string received_;
  std::deque<std::string> outgoing_;
  Handlers handlers_;
  Duration silence_limit_;
  bool closing_ = false;
  bool ended_ = false;
};

}  // namespace rtecho::pair

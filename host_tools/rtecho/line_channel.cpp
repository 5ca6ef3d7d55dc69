#include "line_channel.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <utility>

#include "control_line.hpp"

namespace rtecho::pair {

namespace asio = boost::asio;
using boost::system::error_code;

std::shared_ptr<LineChannel> LineChannel::create(asio::ip::tcp::socket socket, std::size_t line_bytes_max) {
  return std::shared_ptr<LineChannel>(new LineChannel(std::move(socket), line_bytes_max));
}

LineChannel::LineChannel(asio::ip::tcp::socket socket, std::size_t line_bytes_max)
    : socket_(std::move(socket)), timer_(socket_.get_executor()), line_bytes_max_(line_bytes_max) {
  error_code ignored;  // without it the channel is slower, nothing else
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
}

void LineChannel::start(Handlers handlers) {
  handlers_ = std::move(handlers);
  read_next();
}

void LineChannel::read_next() {
  asio::async_read_until(socket_, asio::dynamic_buffer(received_, line_bytes_max_), '\n',
                         [self = shared_from_this()](const error_code& error, std::size_t bytes) {
                           if (self->ended_) {
                             return;
                           }
                           if (error == asio::error::not_found) {
                             self->end(End::bad_line);  // longer than allowed
                           } else if (error) {
                             self->end(End::closed_by_peer);
                           } else {
                             self->take_line(bytes);
                           }
                         });
}

void LineChannel::take_line(std::size_t bytes) {
  const auto message = parse_control_line(std::string_view(received_).substr(0, bytes - 1));
  received_.erase(0, bytes);
  if (!message) {
    end(End::bad_line);
    return;
  }
  if (silence_limit_ > Duration{}) {
    arm_timer(silence_limit_);
  }
  handlers_.on_message(*message);
  if (!ended_ && !closing_) {
    read_next();
  }
}

void LineChannel::send(const nlohmann::json& message) {
  if (ended_ || closing_) {
    return;
  }
  outgoing_.push_back(control_line(message));
  if (outgoing_.size() == 1) {
    write_next();
  }
}

void LineChannel::write_next() {
  asio::async_write(socket_, asio::buffer(outgoing_.front()),
                    [self = shared_from_this()](const error_code& error, std::size_t) {
                      if (self->ended_) {
                        return;
                      }
                      if (error) {
                        self->end(End::closed_by_peer);
                        return;
                      }
                      self->outgoing_.pop_front();
                      if (!self->outgoing_.empty()) {
                        self->write_next();
                      } else if (self->closing_) {
                        self->end(End::closed_here);
                      }
                    });
}

void LineChannel::set_silence_limit(Duration limit) {
  silence_limit_ = limit;
  arm_timer(limit);
}

void LineChannel::set_deadline(Duration from_now) {
  silence_limit_ = Duration{};
  arm_timer(from_now);
}

void LineChannel::arm_timer(Duration from_now) {
  timer_.expires_after(std::chrono::nanoseconds(from_now.ns()));
  timer_.async_wait([weak = weak_from_this()](const error_code& error) {
    if (const auto self = weak.lock(); self && !error) {
      self->end(End::deadline);
    }
  });
}

void LineChannel::close() {
  closing_ = true;
  if (outgoing_.empty()) {
    end(End::closed_here);
  }
}

void LineChannel::end(End reason) {
  if (std::exchange(ended_, true)) {
    return;
  }
  error_code ignored;  // it is closed either way
  timer_.cancel();
  socket_.shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  socket_.close(ignored);
  // The handlers hold their owner; without this the two would keep each other alive.
  const Handlers handlers = std::exchange(handlers_, Handlers{});
  if (handlers.on_end) {
    handlers.on_end(reason);
  }
}

}  // namespace rtecho::pair

#include "control_server.hpp"

#include <fmt/format.h>

#include <boost/asio/ip/v6_only.hpp>

#include "control_session.hpp"
#include "endpoints.hpp"
#include "report/program_failure.hpp"
#include "rt_core/limits.hpp"

namespace rtecho::pair {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using report::ExitCode;
using report::ProgramFailure;

namespace {

ProgramFailure cannot_listen(const drivers::Address& bind, const error_code& error) {
  std::string advice = "see ip address for the addresses of this host";
  if (error == asio::error::address_in_use) {
    advice = "another server runs there; stop it, or take another --port";
  } else if (error == asio::error::access_denied) {
    advice = "ports below 1024 need CAP_NET_BIND_SERVICE; take another --port";
  }
  return ProgramFailure(ExitCode::machine_refused,
                        fmt::format("listening on {}: {}; {}", bind.text(), error.message(), advice));
}

}  // namespace

ControlServer::ControlServer(asio::io_context& events, const ServerOptions& options, const drivers::Address& bind,
                             const std::vector<drivers::Address>& allowed, std::string key, const FrameLink* frames)
    : events_(events),
      options_(options),
      bind_(bind),
      allowed_(allowed),
      key_(std::move(key)),
      frames_(frames),
      acceptor_(events),
      accept_again_(events) {
  const tcp::endpoint endpoint = endpoint_of(bind);
  error_code error;
  acceptor_.open(endpoint.protocol(), error);
  if (!error) {
    // On Linux this does not let two servers share a port; it lets one start while the last one's connections linger.
    acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  }
  if (!error && endpoint.address().is_v6()) {
    acceptor_.set_option(asio::ip::v6_only(true), error);
  }
  if (!error) {
    acceptor_.bind(endpoint, error);
  }
  if (!error) {
    acceptor_.listen(static_cast<int>(limits::control_connections) * 2, error);
  }
  if (error) {
    throw cannot_listen(bind, error);
  }
  accept_next();
}

ControlServer::~ControlServer() {
  shut_down();
}

void ControlServer::accept_next() {
  acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) {
      return;
    }
    if (error) {
      // No descriptor or memory left, or the client has gone already: those that are connected are served meanwhile.
      accept_again_.expires_after(std::chrono::milliseconds(100));
      accept_again_.async_wait([this](const error_code& stopped) {
        if (!stopped) {
          accept_next();
        }
      });
      return;
    }
    admit(std::move(socket));
    accept_next();
  });
}

void ControlServer::admit(tcp::socket socket) {
  auto channel = LineChannel::create(std::move(socket), limits::control_line_bytes);
  auto session = std::make_shared<ControlClientSession>(*this, channel);
  if (sessions_.size() >= limits::control_connections) {
    session->refuse("too many control connections");
    return;
  }
  sessions_.push_back(session);
  session->start();
}

bool ControlServer::take_turn(const ControlClientSession* session) {
  if (in_turn_ != nullptr && in_turn_ != session) {
    return false;
  }
  in_turn_ = session;
  return true;
}

void ControlServer::forget(const ControlClientSession* session) {
  if (in_turn_ == session) {
    in_turn_ = nullptr;
  }
  sessions_.remove_if([session](const auto& known) { return known.get() == session; });
}

void ControlServer::shut_down() {
  error_code ignored;  // it is closed either way
  acceptor_.close(ignored);
  accept_again_.cancel();
  const auto sessions = sessions_;  // each of them forgets itself
  for (const auto& session : sessions) {
    session->end();
  }
}

}  // namespace rtecho::pair

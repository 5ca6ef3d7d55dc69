#include "control_client.hpp"

#include <fmt/format.h>

#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <optional>

#include "control_messages.hpp"
#include "endpoints.hpp"
#include "key_file.hpp"
#include "platform/clock.hpp"
#include "report/program_failure.hpp"
#include "version.hpp"

namespace rtecho::pair {

namespace asio = boost::asio;
using boost::system::error_code;
using platform::MonotonicClock;
using report::ExitCode;
using report::ProgramFailure;

namespace {

constexpr Duration time_to_connect = Duration::from_s(3);
constexpr Duration time_to_answer = Duration::from_s(3);
constexpr Duration between_tries = Duration::from_ms(200);
constexpr Duration between_alives = Duration::from_ms(500);
// The server is trusted more than a client: its facts may be long.
constexpr std::size_t line_bytes_max = 64 * 1024;

void throw_if_stopped(const platform::StopFlag& stop) {
  if (stop.requested()) {
    throw ProgramFailure(ExitCode::interrupted, "interrupted while talking to the server");
  }
}

std::chrono::nanoseconds chrono_of(Duration length) {
  return std::chrono::nanoseconds(length.ns());
}

}  // namespace

ControlClient::ControlClient(const drivers::Address& server, const std::string& key, Duration patience,
                             const platform::StopFlag& stop)
    : stop_(stop), server_(server) {
  const Instant give_up = MonotonicClock::now() + patience;
  std::string reason;
  while (try_once(key, reason) == Attempt::try_again) {
    throw_if_stopped(stop);
    if (MonotonicClock::now() >= give_up) {
      throw ProgramFailure(ExitCode::peer_absent, reason);
    }
    platform::sleep_until(MonotonicClock::now() + between_tries);
  }
}

ControlClient::~ControlClient() {
  if (is_open()) {
    send(nlohmann::json{{"type", "bye"}});
    events_.restart();
    events_.run_for(std::chrono::milliseconds(20));  // lets the farewell out; the server does not answer it
  }
  // Handlers that are still queued refer to this object.
  if (channel_) {
    channel_->close();
  }
  events_.restart();
  events_.poll();
}

ControlClient::Attempt ControlClient::try_once(const std::string& key, std::string& reason) {
  try {
    connect();
    return introduce(key, reason);
  } catch (const boost::system::system_error& error) {
    reason = fmt::format("connecting to {}: {}; is `rtecho server --bind {}` running there?", server_.text(),
                         error.code().message(), server_.host_text());
    return Attempt::try_again;
  }
}

// Throws system_error.
void ControlClient::connect() {
  asio::ip::tcp::socket socket(events_);
  error_code outcome = asio::error::would_block;
  socket.async_connect(endpoint_of(server_), [&outcome](const error_code& error) { outcome = error; });
  const Instant give_up = MonotonicClock::now() + time_to_connect;
  while (outcome == asio::error::would_block && MonotonicClock::now() < give_up && !stop_.requested()) {
    events_.restart();
    events_.run_one_for(std::chrono::milliseconds(50));
  }
  if (outcome == asio::error::would_block) {
    socket.close();
    events_.restart();
    events_.poll();  // the cancelled handler refers to `outcome`
    outcome = asio::error::timed_out;
  }
  if (outcome) {
    throw boost::system::system_error(outcome);
  }
  local_ = host_of(socket.local_endpoint());
  received_.clear();
  channel_ = LineChannel::create(std::move(socket), line_bytes_max);
  channel_->start({[this](const nlohmann::json& message) { received_.push_back(message); }, [](LineChannel::End) {}});
}

ControlClient::Attempt ControlClient::introduce(const std::string& key, std::string& reason) {
  send(to_json(Hello{}));
  nlohmann::json answer = receive(time_to_answer);
  if (is_type(answer, "challenge")) {
    if (key.empty()) {
      throw ProgramFailure(ExitCode::peer_absent,
                           fmt::format("the server at {} wants a key; give --key-file", server_.text()));
    }
    const std::string proof = proof_of(key, text_field(answer, "nonce"));
    send(text_message("response", "proof", proof));
    answer = receive(time_to_answer);
  }
  if (is_type(answer, "welcome")) {
    return Attempt::welcome;
  }
  if (is_type(answer, "busy")) {
    reason = fmt::format("the server at {} is busy with another client; --wait-for-server S waits", server_.text());
    return Attempt::try_again;
  }
  if (is_type(answer, "error") && text_field(answer, "reason") == "version") {
    throw ProgramFailure(ExitCode::peer_absent,
                         fmt::format("the server at {} is rtecho {} and speaks another version of the control channel "
                                     "than this {}; use the same release on both ends",
                                     server_.text(), text_field(answer, "tool"), program_version()));
  }
  if (is_type(answer, "error") && text_field(answer, "reason") == "key") {
    throw ProgramFailure(ExitCode::peer_absent, fmt::format("the server at {} holds another key", server_.text()));
  }
  if (is_type(answer, "error")) {
    reason = fmt::format("the server at {} refuses: {}", server_.text(), text_field(answer, "reason"));
    return Attempt::try_again;
  }
  if (answer.is_null() && is_open()) {
    throw ProgramFailure(ExitCode::peer_absent,
                         fmt::format("no answer from {}: is it an rtecho server?", server_.text()));
  }
  if (answer.is_null()) {
    reason = fmt::format("{} closed the connection without a word: is it an rtecho server?", server_.text());
    return Attempt::try_again;
  }
  throw ProgramFailure(ExitCode::peer_absent,
                       fmt::format("{} does not answer as an rtecho server does", server_.text()));
}

void ControlClient::send(const nlohmann::json& message) {
  channel_->send(message);
}

nlohmann::json ControlClient::receive(Duration timeout, bool hurried) {
  const Instant give_up = MonotonicClock::now() + timeout;
  while (received_.empty() && is_open() && MonotonicClock::now() < give_up) {
    if (!hurried) {
      throw_if_stopped(stop_);
    }
    events_.restart();
    events_.run_one_for(std::chrono::milliseconds(50));
  }
  if (received_.empty()) {
    return nullptr;
  }
  nlohmann::json answer = std::move(received_.front());
  received_.pop_front();
  return answer;
}

nlohmann::json ControlClient::ask(const nlohmann::json& request, Duration timeout) {
  send(request);
  return await(timeout);
}

nlohmann::json ControlClient::ask_at_end(const nlohmann::json& request, Duration timeout) {
  send(request);
  return receive(timeout, true);
}

nlohmann::json ControlClient::await(Duration timeout) {
  nlohmann::json answer = receive(timeout);
  if (answer.is_null()) {
    throw ProgramFailure(ExitCode::peer_absent, is_open()
                                                    ? fmt::format("no answer from the server at {}", server_.text())
                                                    : fmt::format("the server at {} went away", server_.text()));
  }
  if (is_type(answer, "error")) {
    throw ProgramFailure(ExitCode::peer_absent,
                         fmt::format("the server at {} refuses: {}", server_.text(), text_field(answer, "reason")));
  }
  return answer;
}

void ControlClient::run_for(Duration length) {
  const Instant until = MonotonicClock::now() + length;
  if (MonotonicClock::now() - last_alive_ >= between_alives) {
    last_alive_ = MonotonicClock::now();
    send(nlohmann::json{{"type", "alive"}});
  }
  events_.restart();
  events_.run_for(chrono_of(until - MonotonicClock::now()));
  if (!is_open()) {
    platform::sleep_until(until);  // a loop without work returns at once
  }
}

}  // namespace rtecho::pair

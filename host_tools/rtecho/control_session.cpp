#include "control_session.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "endpoints.hpp"
#include "facts_json.hpp"
#include "key_file.hpp"
#include "platform/random.hpp"
#include "quantities.hpp"
#include "restless.hpp"
#include "sentences.hpp"
#include "socket_ports.hpp"
#include "version.hpp"

namespace rtecho::pair {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr Duration time_to_arm = Duration::from_s(5);
constexpr Duration time_to_connect = Duration::from_s(2);
constexpr Duration silence_limit = Duration::from_s(2);
// The client opens its end once it knows ours, a moment after the first probe.
constexpr std::array<std::chrono::milliseconds, 5> probe_spacings{
    {std::chrono::milliseconds(20), std::chrono::milliseconds(80), std::chrono::milliseconds(200),
     std::chrono::milliseconds(200), std::chrono::milliseconds(200)}};

}  // namespace

ControlClientSession::ControlClientSession(ControlServer& server, std::shared_ptr<LineChannel> channel)
    : server_(server), channel_(std::move(channel)), probe_timer_(server.events_) {}

ControlClientSession::~ControlClientSession() {
  accepting_cancelled_->store(true);
  if (accepting_.joinable()) {
    accepting_.join();
  }
}

void ControlClientSession::start() {
  error_code local_error;
  error_code peer_error;
  local_ = host_of(channel_->socket().local_endpoint(local_error));
  peer_ = host_of(channel_->socket().remote_endpoint(peer_error));
  channel_->set_deadline(time_to_arm);
  channel_->start({[self = shared_from_this()](const nlohmann::json& message) { self->take(message); },
                   [self = shared_from_this()](LineChannel::End) {
                     self->drop_series();
                     self->server_.forget(self.get());
                   }});
  if (local_error || peer_error) {
    channel_->close();  // gone before it began
  }
}

void ControlClientSession::refuse(const std::string& reason) {
  channel_->send(error_message(reason));
  channel_->close();
}

void ControlClientSession::end() {
  channel_->close();
}

void ControlClientSession::take(const nlohmann::json& message) {
  if (is_type(message, "alive")) {
    return;  // the channel has noticed
  }
  if (is_type(message, "bye")) {
    channel_->close();
    return;
  }
  switch (state_) {
    case State::awaiting_hello:
      take_hello(message);
      break;
    case State::awaiting_proof:
      take_proof(message);
      break;
    case State::idle:
      take_arm(message);
      break;
    case State::connecting:
      take_probe(message);
      break;
    case State::armed:
      if (is_type(message, "end")) {
        take_end();
      } else {
        refuse("end was expected");
      }
      break;
  }
}

void ControlClientSession::take_hello(const nlohmann::json& message) {
  const auto hello = read_hello(message);
  if (!hello) {
    refuse("hello was expected");
    return;
  }
  if (hello->version != control_version) {
    channel_->send(nlohmann::json{
        {"type", "error"}, {"reason", "version"}, {"version", control_version}, {"tool", program_version()}});
    channel_->close();
    return;
  }
  if (server_.key_.empty()) {
    welcome();
    return;
  }
  challenge_ = hex_text(platform::random_u64()) + hex_text(platform::random_u64());
  state_ = State::awaiting_proof;
  channel_->send(text_message("challenge", "nonce", challenge_));
}

void ControlClientSession::take_proof(const nlohmann::json& message) {
  if (!is_type(message, "response") || !same_proof(text_field(message, "proof"), proof_of(server_.key_, challenge_))) {
    refuse("key");
    return;
  }
  welcome();
}

void ControlClientSession::welcome() {
  if (!server_.take_turn(this)) {
    channel_->send(nlohmann::json{{"type", "busy"}});
    channel_->close();
    return;
  }
  end_record_.host =
      machine_facts(server_.options_.thread.plan.cpu, data_interface(server_.options_.link, local_.host_text()));
  channel_->send(nlohmann::json{{"type", "welcome"}, {"tool", program_version()}});
  become_idle();
}

void ControlClientSession::become_idle() {
  state_ = State::idle;
  channel_->set_deadline(time_to_arm);
}

std::optional<drivers::Address> ControlClientSession::data_address(const Arm& arm) {
  if (arm.data_address.empty()) {
    return peer_;
  }
  const auto asked = drivers::Address::parse(arm.data_address);
  if (!asked) {
    return std::nullopt;
  }
  if (asked.value().same_host(peer_)) {
    return peer_;
  }
  for (const drivers::Address& allowed : server_.allowed_) {
    if (asked.value().same_host(allowed)) {
      return asked.value();
    }
  }
  return std::nullopt;
}

void ControlClientSession::take_arm(const nlohmann::json& message) {
  const auto arm = read_arm(message);
  if (!arm) {
    refuse("arm was expected, with a protocol and a size that it carries");
    return;
  }
  if (arm->protocol == Protocol::eth && server_.frame_link_of(*arm) == nullptr) {
    refuse("eth needs a frame driver at the server, too: rtecho server --driver ring --iface IF");
    return;
  }
  const auto client = data_address(*arm);
  if (!client) {
    refuse("data address is not yours and not in --allow");
    return;
  }
  if (const auto risk = freeze_risk(server_.options_.thread, arm->rests)) {
    refuse(*risk);
    return;
  }
  arm_ = *arm;
  if (const auto reason = untestable_reason(arm_)) {
    channel_->send(text_message("untestable", "reason", *reason));
    become_idle();
    return;
  }
  auto offer =
      DataPathOffer::open(arm_, local_.with_port(server_.options_.data_port), *client, server_.frame_link_of(arm_));
  if (!offer) {
    refuse(sentence_of(offer.error()));
    return;
  }
  offer_ = std::make_shared<DataPathOffer>(std::move(offer).value());
  state_ = State::connecting;
  channel_->set_deadline(time_to_connect);
  channel_->send(to_json(offer_->connect()));
  if (arm_.protocol == Protocol::tcp) {
    await_connection();
  } else {
    send_probes(0);
  }
}

// Why the client's size, protocol or both cannot be had here; that is no error, and the next series may be one.
std::optional<std::string> ControlClientSession::untestable_reason(const Arm& arm) const {
  const FrameLink* link = server_.frame_link_of(arm);
  if (link == nullptr || arm.message_bytes <= link->message_bytes_max(arm.protocol)) {
    return std::nullopt;
  }
  return fmt::format("{} over frames carries at most {} bytes at the server's end (MTU {} of {})",
                     name_of(arm.protocol), link->message_bytes_max(arm.protocol), link->interface().mtu,
                     link->interface().name);
}

void ControlClientSession::send_probes(std::size_t sent) {
  if (sent == probe_spacings.size() || state_ != State::connecting || !offer_) {
    return;
  }
  offer_->send_probe();
  probe_timer_.expires_after(probe_spacings[sent]);
  probe_timer_.async_wait([self = shared_from_this(), sent](const error_code& stopped) {
    if (!stopped) {
      self->send_probes(sent + 1);
    }
  });
}

void ControlClientSession::take_probe(const nlohmann::json& message) {
  const auto nonce = read_nonce(message);
  if (arm_.protocol == Protocol::tcp || !nonce || !offer_ || !offer_->nonce_is(*nonce)) {
    refuse("the probe's nonce was expected");
    return;
  }
  probe_timer_.cancel();
  start_series(offer_->take_port());
}

// Accepting blocks, and the other control connections shall not wait for it. The thread does not keep the session
// alive: who ends first, session or thread, must not matter.
void ControlClientSession::await_connection() {
  accepting_ = std::thread(
      [weak = weak_from_this(), offer = offer_, &events = server_.events_, cancelled = accepting_cancelled_] {
        auto outcome = std::make_shared<Result<drivers::TcpConnection>>(offer->accept(time_to_connect, *cancelled));
        asio::post(events, [weak, outcome] {
          if (const auto self = weak.lock()) {
            self->take_connection(std::move(*outcome));
          }
        });
      });
}

void ControlClientSession::take_connection(Result<drivers::TcpConnection> connection) {
  accepting_.join();
  if (state_ != State::connecting || !channel_->is_open()) {
    return;  // the client went away meanwhile
  }
  if (!connection) {
    refuse(sentence_of(connection.error()));
    return;
  }
  auto port = open_tcp_port(std::move(connection).value(), arm_.message_bytes);
  if (!port) {
    refuse(sentence_of(port.error()));
    return;
  }
  start_series(std::move(port).value());
}

void ControlClientSession::start_series(std::unique_ptr<DataPort> port) {
  series_ = std::make_unique<ServerSeries>(arm_, offer_->session(), server_.options_.thread);
  const auto started = series_->start(std::move(port));
  offer_.reset();
  if (!started) {
    std::string reason = sentence_of(started.error());
    for (const std::string& shortfall : series_->degraded()) {
      reason += "; " + shortfall;
    }
    series_.reset();
    refuse(reason);
    return;
  }
  end_record_.granted = to_json(series_->grant());
  end_record_.granted["cpu_latency_hold"] = series_->holds_cpu_latency();
  end_record_.degraded = series_->degraded();
  state_ = State::armed;
  channel_->set_silence_limit(silence_limit);
  channel_->send(to_json(Armed{end_record_, name_of(server_.driver_of(arm_)), series_->wait(),
                               server_.options_.thread.asks_for_realtime()}));
}

void ControlClientSession::take_end() {
  const ServerReport report = series_->stop();
  series_.reset();
  channel_->send(to_json(report));
  if (server_.on_series_end) {
    server_.on_series_end(arm_, server_.driver_of(arm_), report, end_record_);
  }
  become_idle();
}

void ControlClientSession::drop_series() {
  probe_timer_.cancel();
  offer_.reset();
  if (series_) {
    const ServerReport report = series_->stop();
    series_.reset();
    if (server_.on_series_end) {
      server_.on_series_end(arm_, server_.driver_of(arm_), report, end_record_);
    }
  }
}

}  // namespace rtecho::pair

#include "client_series.hpp"

#include <fmt/format.h>

#include <array>

#include "facts_json.hpp"
#include "platform/clock.hpp"
#include "quantities.hpp"
#include "report/program_failure.hpp"
#include "restless.hpp"
#include "sentences.hpp"

namespace rtecho::pair {

using platform::MonotonicClock;
using report::ExitCode;
using report::ProgramFailure;

namespace {

constexpr Duration time_to_answer = Duration::from_s(3);
constexpr Duration time_for_probe = Duration::from_s(1);  // three tries of the server, 0.2 s apart
constexpr Duration probe_slice = Duration::from_ms(50);
constexpr Duration watch_interval = Duration::from_ms(20);
// An interrupted client still wants the server's half, but must be gone within 0.2 s.
constexpr Duration time_for_report_when_interrupted = Duration::from_ms(100);

template <typename T>
T value_or_refused(Result<T> result) {
  if (!result) {
    throw ProgramFailure(ExitCode::machine_refused, sentence_of(result.error()));
  }
  return std::move(result).value();
}

}  // namespace

ClientSeries::ClientSeries(ControlClient& control, const ClientOptions& options, std::uint32_t message_bytes)
    : control_(control), options_(options), plan_(options.plan) {
  plan_.shape.message_bytes = message_bytes;
}

ClientSeries::~ClientSeries() {
  abandon_.store(true);  // where an exception left the thread running
}

Connect ClientSeries::ask_for_path(const Arm& arm) {
  const auto connect = read_connect(control_.ask(to_json(arm), time_to_answer));
  if (!connect) {
    throw ProgramFailure(ExitCode::peer_absent, "the server did not name a data path");
  }
  plan_.shape.session = connect->session;
  return *connect;
}

void ClientSeries::note_armed(const nlohmann::json& answer) {
  const auto armed = read_armed(answer);
  if (!armed) {
    throw ProgramFailure(ExitCode::peer_absent, "the server did not arm");
  }
  armed_ = *armed;
}

DataPath ClientSeries::agree() {
  Arm arm;
  arm.protocol = options_.protocol;
  arm.message_bytes = plan_.shape.message_bytes;
  arm.data_address = options_.data_address;
  arm.spacing = plan_.pacing.spacing();
  arm.rests = plan_.batch.rests();
  return arm.protocol == Protocol::udp ? agree_on_udp(arm) : agree_on_tcp(arm);
}

DataPath ClientSeries::agree_on_udp(const Arm& arm) {
  Arm complete = arm;
  auto endpoint = value_or_refused(drivers::UdpEndpoint::bind(control_.local()));
  complete.data_port = endpoint.local().port();
  const Connect path = ask_for_path(complete);
  const drivers::Address server = control_.server().with_port(path.data_port);
  const auto connected = endpoint.connect(server);
  if (!connected) {
    throw ProgramFailure(ExitCode::machine_refused, sentence_of(connected.error()));
  }
  const MessageShape shape{full_header_bytes, path.session};
  std::array<std::byte, limits::message_buffer_bytes> buffer{};
  const Instant give_up = MonotonicClock::now() + time_for_probe;
  while (MonotonicClock::now() < give_up) {
    if (stop_->requested()) {
      throw ProgramFailure(ExitCode::interrupted, "interrupted while waiting for the server's probe");
    }
    const auto bytes = endpoint.receive(buffer, probe_slice);
    if (!bytes) {
      continue;  // not yet
    }
    const auto probe = std::span(buffer).first(bytes.value());
    if (FullMessage::check(probe, shape) == MessageFault::none &&
        FullMessage::kind(probe) == static_cast<std::uint8_t>(MessageKind::probe)) {
      note_armed(control_.ask(text_message("probe", "nonce", hex_text(FullMessage::sequence(probe))), time_to_answer));
      // Once more: throws away the probe's repetitions, which would be strays of the series.
      (void)endpoint.connect(server).has_value();
      return endpoint;
    }
  }
  throw ProgramFailure(
      ExitCode::peer_absent,
      fmt::format("no probe from {} reached udp port {}: a firewall, or a path that does not carry udp?", server.text(),
                  complete.data_port));
}

DataPath ClientSeries::agree_on_tcp(const Arm& arm) {
  const Connect path = ask_for_path(arm);
  const drivers::Address server = control_.server().with_port(path.data_port);
  auto connection = drivers::TcpConnection::connect(server, path.session, time_to_answer);
  if (!connection) {
    throw ProgramFailure(ExitCode::peer_absent,
                         fmt::format("data connection to {}: {}", server.text(), sentence_of(connection.error())));
  }
  note_armed(control_.await(time_to_answer));
  return std::move(connection).value();
}

void ClientSeries::start(const platform::StopFlag& stop) {
  stop_ = &stop;
  DataPath path = agree();
  port_memory_.emplace(value_or_refused(platform::MappedMemory::map(port_memory_bytes)));
  port_.emplace(make_port(std::move(path), port_memory_->bytes(), plan_.shape.message_bytes));
  channel_.emplace(value_or_refused(MappedObject<EventChannel>::make()));
  std::visit(
      [this]<typename Port>(Port& port) {
        auto& client = client_.emplace<MappedObject<EchoClient<Port>>>(
            value_or_refused(MappedObject<EchoClient<Port>>::make(port, plan_)));
        record_ = &client->record();
        gaps_ = &client->gaps();
      },
      *port_);
  if (const auto risk = freeze_risk(options_.thread, plan_.batch.rests())) {
    throw ProgramFailure(ExitCode::machine_refused, *risk);
  }
  platform::ThreadPlan thread = options_.thread.plan;
  thread.name = loop_name(options_.thread, plan_.batch.rests());
  thread_.emplace(value_or_refused(platform::BootstrappedThread::start(thread, &ClientSeries::run, this)));
}

void ClientSeries::run(void* self) {
  auto& series = *static_cast<ClientSeries*>(self);
  std::visit(
      [&series]<typename Port>(Port& port) {
        auto& client = *std::get<MappedObject<EchoClient<Port>>>(series.client_);
        run_client_loop(client, port, series.plan_.wait, series.options_.thread.plan.cpu, *series.stop_,
                        series.abandon_, **series.channel_, series.loop_);
        series.dropped_events_ = client.events().dropped();
      },
      *series.port_);
  series.finished_.store(true, std::memory_order_release);
}

void ClientSeries::watch(const EventHandler& on_event) {
  bool finished = false;
  while (!finished) {
    finished = finished_.load(std::memory_order_acquire);
    if (!finished) {
      control_.run_for(watch_interval);
      if (!control_.is_open()) {
        abandon_.store(true, std::memory_order_relaxed);  // the server went away
      }
    }
    for (Event event; (*channel_)->pop(event);) {
      on_event(event);
    }
  }
  thread_->join();
  dropped_events_ += (*channel_)->dropped();
  if (!control_.is_open()) {
    return;
  }
  const bool hurried = record().end == SeriesEnd::interrupted;
  // Where it does not come, the run file says that the server's half is missing.
  server_report_ = read_report(control_.ask_at_end(nlohmann::json{{"type", "end"}},
                                                   hurried ? time_for_report_when_interrupted : time_to_answer));
}

nlohmann::json ClientSeries::port_counters() const {
  return port_json(*port_);
}

}  // namespace rtecho::pair

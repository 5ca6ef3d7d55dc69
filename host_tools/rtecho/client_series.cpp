#include "client_series.hpp"

#include <fmt/format.h>

#include <array>

#include "drivers/mac_text.hpp"
#include "platform/clock.hpp"
#include "quantities.hpp"
#include "report/program_failure.hpp"
#include "restless.hpp"
#include "sentences.hpp"
#include "socket_ports.hpp"

namespace rtecho::pair {

using platform::MonotonicClock;
using report::ExitCode;
using report::ProgramFailure;

namespace {

constexpr Duration time_to_answer = Duration::from_s(3);
constexpr Duration time_for_probe = Duration::from_s(1);  // the server's tries take 0.7 s
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

ClientSeries::ClientSeries(ControlClient* control, const FrameLink* frames, const ClientOptions& options,
                           std::uint32_t message_bytes)
    : control_(control), frames_(frames), options_(options), plan_(options.plan) {
  plan_.shape.message_bytes = message_bytes;
}

ClientSeries::~ClientSeries() {
  abandon_.store(true);  // where an exception left the thread running
}

void ClientSeries::check_size() const {
  if (frames_ != nullptr && options_.protocol != Protocol::tcp &&
      plan_.shape.message_bytes > frames_->message_bytes_max(options_.protocol)) {
    throw UntestableSize(fmt::format("{} over frames carries at most {} bytes here (MTU {} of {})",
                                     name_of(options_.protocol), frames_->message_bytes_max(options_.protocol),
                                     frames_->interface().mtu, frames_->interface().name));
  }
}

Connect ClientSeries::ask_for_path(const Arm& arm) {
  const nlohmann::json answer = control_->ask(to_json(arm), time_to_answer);
  if (is_type(answer, "untestable")) {
    throw UntestableSize(text_field(answer, "reason"));
  }
  const auto connect = read_connect(answer);
  if (!connect) {
    throw ProgramFailure(ExitCode::peer_absent, "the server did not name a data path");
  }
  plan_.shape.session = connect->session;
  return *connect;
}

void ClientSeries::note_armed(const nlohmann::json& answer) {
  armed_ = read_armed(answer);
  if (!armed_) {
    throw ProgramFailure(ExitCode::peer_absent, "the server did not arm");
  }
}

std::unique_ptr<DataPort> ClientSeries::agree() {
  if (control_ == nullptr) {
    plan_.shape.session = options_.uncontrolled.session;
    return value_or_refused(frames_->open_ethernet(*options_.link.peer_mac, plan_.shape));
  }
  Arm arm;
  arm.protocol = options_.protocol;
  arm.message_bytes = plan_.shape.message_bytes;
  arm.data_address = options_.data_address;
  arm.spacing = plan_.pacing.spacing();
  arm.rests = plan_.batch.rests();
  switch (arm.protocol) {
    case Protocol::tcp:
      return agree_on_tcp(arm);
    case Protocol::eth:
      return agree_on_eth(arm);
    case Protocol::udp:
      break;
  }
  return frames_ != nullptr ? agree_on_udp_frames(arm) : agree_on_udp(arm);
}

drivers::Address ClientSeries::data_server(const Connect& path) const {
  if (path.data_address.empty()) {
    return control_->server().with_port(path.data_port);
  }
  const auto address = drivers::Address::parse(path.data_address);
  if (!address) {
    throw ProgramFailure(ExitCode::peer_absent, "the server named a data address that is none");
  }
  return address.value().with_port(path.data_port);
}

std::unique_ptr<DataPort> ClientSeries::agree_on_udp(const Arm& arm) {
  Arm complete = arm;
  auto endpoint = value_or_refused(drivers::UdpEndpoint::bind(control_->local()));
  complete.data_port = endpoint.local().port();
  const drivers::Address server = data_server(ask_for_path(complete));
  const auto connected = endpoint.connect(server);
  if (!connected) {
    throw ProgramFailure(ExitCode::machine_refused, sentence_of(connected.error()));
  }
  auto port = value_or_refused(open_udp_port(std::move(endpoint)));
  await_probe(*port, fmt::format("{} reached udp port {}: a firewall, or a path that does not carry udp?",
                                 server.text(), complete.data_port));
  return port;
}

std::unique_ptr<DataPort> ClientSeries::agree_on_udp_frames(const Arm& arm) {
  Arm complete = arm;
  auto datagrams = value_or_refused(frames_->bind_datagrams(control_->local()));
  complete.data_port = datagrams.local().port;
  complete.data_mac = frames_->interface().mac;
  if (frames_->own_address()) {
    complete.data_address = drivers::Address::from_ipv4(datagrams.local().address).host_text();
  }
  const drivers::Address server = data_server(ask_for_path(complete));
  auto port = value_or_refused(frames_->connect_to_server(std::move(datagrams), server, plan_.shape));
  await_probe(*port, fmt::format("{} reached udp port {} on {}: is it the interface towards the server, and the same "
                                 "VLAN?",
                                 server.text(), complete.data_port, frames_->interface().name));
  return port;
}

std::unique_ptr<DataPort> ClientSeries::agree_on_eth(const Arm& arm) {
  Arm complete = arm;
  complete.data_mac = frames_->interface().mac;
  const Connect path = ask_for_path(complete);
  auto port = value_or_refused(frames_->open_ethernet(path.data_mac, plan_.shape));
  await_probe(*port, fmt::format("station {} reached {}: is it the interface towards the server's, and the same VLAN?",
                                 drivers::mac_text(path.data_mac), frames_->interface().name));
  return port;
}

// The server is where it says it is, and the path carries frames both ways.
void ClientSeries::await_probe(DataPort& port, const std::string& whence) {
  const MessageShape shape{full_header_bytes, plan_.shape.session};
  std::array<std::byte, limits::message_buffer_bytes> buffer{};
  const Instant give_up = MonotonicClock::now() + time_for_probe;
  while (MonotonicClock::now() < give_up) {
    if (stop_->requested()) {
      throw ProgramFailure(ExitCode::interrupted, "interrupted while waiting for the server's probe");
    }
    const auto bytes = port.receive_once(buffer, probe_slice);
    if (!bytes) {
      continue;  // not yet
    }
    const auto probe = std::span(buffer).first(*bytes);
    if (FullMessage::check(probe, shape) == MessageFault::none &&
        FullMessage::kind(probe) == static_cast<std::uint8_t>(MessageKind::probe)) {
      note_armed(control_->ask(text_message("probe", "nonce", hex_text(FullMessage::sequence(probe))), time_to_answer));
      port.discard_arrivals();  // the probe's repetitions, which would be strays of the series
      return;
    }
  }
  throw ProgramFailure(ExitCode::peer_absent, fmt::format("no probe from {}", whence));
}

std::unique_ptr<DataPort> ClientSeries::agree_on_tcp(const Arm& arm) {
  const Connect path = ask_for_path(arm);
  const drivers::Address server = data_server(path);
  auto connection = drivers::TcpConnection::connect(server, path.session, time_to_answer);
  if (!connection) {
    throw ProgramFailure(ExitCode::peer_absent,
                         fmt::format("data connection to {}: {}", server.text(), sentence_of(connection.error())));
  }
  note_armed(control_->await(time_to_answer));
  return value_or_refused(open_tcp_port(std::move(connection).value(), plan_.shape.message_bytes));
}

void ClientSeries::start(const platform::StopFlag& stop) {
  stop_ = &stop;
  check_size();
  port_ = agree();
  channel_.emplace(value_or_refused(MappedObject<EventChannel>::make()));
  loop_ = value_or_refused(port_->make_client(plan_));
  if (const auto risk = freeze_risk(options_.thread, plan_.batch.rests())) {
    throw ProgramFailure(ExitCode::machine_refused, *risk);
  }
  platform::ThreadPlan thread = options_.thread.plan;
  thread.name = loop_name(options_.thread, plan_.batch.rests());
  thread_.emplace(value_or_refused(platform::BootstrappedThread::start(thread, &ClientSeries::run, this)));
}

void ClientSeries::run(void* self) {
  auto& series = *static_cast<ClientSeries*>(self);
  series.loop_->run(series.options_.thread.plan.cpu, *series.stop_, series.abandon_, **series.channel_,
                    series.loop_record_);
  series.finished_.store(true, std::memory_order_release);
}

void ClientSeries::watch(const EventHandler& on_event) {
  bool finished = false;
  while (!finished) {
    finished = finished_.load(std::memory_order_acquire);
    if (!finished) {
      wait_a_while();
    }
    for (Event event; (*channel_)->pop(event);) {
      on_event(event);
    }
  }
  thread_->join();
  dropped_events_ = loop_->dropped_events() + (*channel_)->dropped();
  capture_failure_ = port_->write_capture();
  if (control_ == nullptr || !control_->is_open()) {
    return;
  }
  const bool hurried = record().end == SeriesEnd::interrupted;
  // Where it does not come, the run file says that the server's half is missing.
  server_report_ = read_report(control_->ask_at_end(nlohmann::json{{"type", "end"}},
                                                    hurried ? time_for_report_when_interrupted : time_to_answer));
}

void ClientSeries::wait_a_while() {
  if (control_ == nullptr) {
    platform::sleep_until(MonotonicClock::now() + watch_interval);
    return;
  }
  control_->run_for(watch_interval);
  if (!control_->is_open()) {
    abandon_.store(true, std::memory_order_relaxed);  // the server went away
  }
}

nlohmann::json ClientSeries::port_counters() const {
  return port_->facts();
}

}  // namespace rtecho::pair

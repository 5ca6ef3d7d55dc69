#include "server_series.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <utility>

#include "facts_json.hpp"
#include "platform/random.hpp"
#include "restless.hpp"
#include "rt_core/message.hpp"
#include "socket_ports.hpp"
#include "version.hpp"

namespace rtecho::pair {

// --- DataPathOffer ------------------------------------------------------------------------------------------------

namespace {

Result<std::unique_ptr<DataPort>> open_udp(const Arm& arm, const drivers::Address& local,
                                           const drivers::Address& client, const FrameLink* frames,
                                           const drivers::SocketMarking& marking, Connect& connect) {
  const drivers::Address peer = client.with_port(arm.data_port);
  if (frames != nullptr) {
    auto datagrams = frames->bind_datagrams(local);
    if (!datagrams) {
      return datagrams.error();
    }
    const drivers::Ipv4Endpoint bound = datagrams.value().local();
    connect.data_port = bound.port;
    if (frames->own_address()) {
      connect.data_address = drivers::Address::from_ipv4(bound.address).host_text();
    }
    return frames->connect_to_client(std::move(datagrams).value(), peer, arm.data_mac,
                                     MessageShape{arm.message_bytes, connect.session});
  }
  auto endpoint = drivers::UdpEndpoint::bind(local, marking);
  if (!endpoint) {
    return endpoint.error();
  }
  const auto connected = endpoint.value().connect(peer);
  if (!connected) {
    return connected.error();
  }
  connect.data_port = endpoint.value().local().port();
  return open_udp_port(std::move(endpoint).value());
}

}  // namespace

DataPathOffer::DataPathOffer(Opened opened, const Connect& connect, const drivers::Address& client)
    : opened_(std::move(opened)), connect_(connect), client_(client), nonce_(platform::random_u64()) {}

Result<DataPathOffer> DataPathOffer::open(const Arm& arm, const drivers::Address& local, const drivers::Address& client,
                                          const FrameLink* frames, const drivers::SocketMarking& marking) {
  Connect connect;
  connect.session = platform::random_u64();
  if (arm.protocol == Protocol::tcp) {
    auto listener = drivers::TcpListener::listen(local, marking);
    if (!listener) {
      return listener.error();
    }
    connect.data_port = listener.value().local().port();
    return DataPathOffer(std::move(listener).value(), connect, client);
  }
  Result<std::unique_ptr<DataPort>> port = Error{Status::unsupported, 0, "eth over sockets"};
  if (arm.protocol == Protocol::udp) {
    port = open_udp(arm, local, client, frames, marking, connect);
  } else if (frames != nullptr) {
    connect.data_mac = frames->interface().mac;
    port = frames->open_ethernet(arm.data_mac, MessageShape{arm.message_bytes, connect.session});
  }
  if (!port) {
    return port.error();
  }
  return DataPathOffer(std::move(port).value(), connect, client);
}

void DataPathOffer::send_probe() {
  auto* port = std::get_if<std::unique_ptr<DataPort>>(&opened_);
  if (port == nullptr) {
    return;
  }
  std::array<std::byte, full_header_bytes> probe{};
  const MessageShape shape{full_header_bytes, connect_.session};
  FullHeaderTemplate(shape, MessageKind::probe).emit(std::span(probe).first<full_header_bytes>(), nonce_, Instant{});
  // A refusal is reported by the client's silence; the first tries may meet a neighbour that is not resolved yet.
  (void)(*port)->send_once(probe);
}

Result<drivers::TcpConnection> DataPathOffer::accept(Duration timeout, const std::atomic<bool>& cancelled) {
  return std::get<drivers::TcpListener>(opened_).accept(client_, connect_.session, timeout, &cancelled);
}

std::unique_ptr<DataPort> DataPathOffer::take_port() {
  return std::move(std::get<std::unique_ptr<DataPort>>(opened_));
}

// --- ServerSeries -------------------------------------------------------------------------------------------------

ServerSeries::ServerSeries(const Arm& arm, std::uint64_t session, const ThreadOptions& options)
    : options_(options),
      plan_{.shape = MessageShape{arm.message_bytes, session},
            .wait = WaitPlan{options.wait, WaitPlan::idle_limit_for(arm.spacing)}} {
  options_.plan.name = loop_name(options, arm.rests);
}

ServerSeries::~ServerSeries() {
  if (thread_) {
    (void)stop();
  }
}

Result<void> ServerSeries::start(std::unique_ptr<DataPort> port) {
  if (platform::build_is_realtime()) {
    latency_hold_.emplace(platform::LatencyHold::acquire(degraded_));
  }
  if (options_.plan.lock_memory) {
    memory_lock_.emplace(platform::MemoryLock::acquire(degraded_));
  }
  port_ = std::move(port);
  port_->discard_arrivals();  // what came before the session began is none of its frames
  auto loop = port_->make_server(plan_);
  if (!loop) {
    return loop.error();
  }
  loop_ = std::move(loop).value();
  auto thread = platform::BootstrappedThread::start(options_.plan, &ServerSeries::run, this);
  if (!thread) {
    return thread.error();
  }
  thread_.emplace(std::move(thread).value());
  const auto& shortfalls = thread_->grant().degraded;
  degraded_.insert(degraded_.end(), shortfalls.begin(), shortfalls.end());
  if (options_.strict && !degraded_.empty()) {
    return Error{Status::denied, 0, "--strict"};
  }
  return {};
}

void ServerSeries::run(void* self) {
  auto& series = *static_cast<ServerSeries*>(self);
  series.loop_->run(series.options_.plan.cpu, series.stop_, series.record_);
  series.finished_.store(true, std::memory_order_release);
}

ServerReport ServerSeries::stop() {
  stop_.store(true, std::memory_order_relaxed);
  thread_->join();
  ServerReport report;
  report.port = port_->facts();
  report.blocked_waits = record_.blocked_waits;
  report.accounting = loop_->accounting();
  report.window = window_record(record_.windows, loop_->gaps(), report.notes, "determinism.server");
  report.notes["determinism.server.interrupts"] = "of the whole series, rests included, like steal and migrations";
  if (const auto failure = port_->write_capture()) {
    report.notes["port.server.capture"] = *failure;
    fmt::print(stderr, "{}: {}\n", program_name(), *failure);
  }
  thread_.reset();
  return report;
}

}  // namespace rtecho::pair

#include "server_series.hpp"

#include <array>
#include <utility>

#include "facts_json.hpp"
#include "platform/random.hpp"
#include "restless.hpp"
#include "rt_core/message.hpp"

namespace rtecho::pair {

// --- DataPathOffer ------------------------------------------------------------------------------------------------

DataPathOffer::DataPathOffer(Opened opened, const drivers::Address& client)
    : opened_(std::move(opened)), client_(client), session_(platform::random_u64()), nonce_(platform::random_u64()) {}

Result<DataPathOffer> DataPathOffer::open(const Arm& arm, const drivers::Address& local,
                                          const drivers::Address& client) {
  if (arm.protocol == Protocol::tcp) {
    auto listener = drivers::TcpListener::listen(local);
    if (!listener) {
      return listener.error();
    }
    return DataPathOffer(std::move(listener).value(), client);
  }
  auto endpoint = drivers::UdpEndpoint::bind(local);
  if (!endpoint) {
    return endpoint.error();
  }
  const auto connected = endpoint.value().connect(client.with_port(arm.data_port));
  if (!connected) {
    return connected.error();
  }
  return DataPathOffer(std::move(endpoint).value(), client);
}

Connect DataPathOffer::connect() const {
  const std::uint16_t port = std::visit([](const auto& opened) { return opened.local().port(); }, opened_);
  return Connect{session_, port};
}

void DataPathOffer::send_probe() {
  auto* endpoint = std::get_if<drivers::UdpEndpoint>(&opened_);
  if (endpoint == nullptr) {
    return;
  }
  std::array<std::byte, full_header_bytes> probe{};
  const MessageShape shape{full_header_bytes, session_};
  FullHeaderTemplate(shape, MessageKind::probe).emit(std::span(probe).first<full_header_bytes>(), nonce_, Instant{});
  // A refusal is reported by the client's silence; the first tries may meet a neighbour that is not resolved yet.
  (void)endpoint->send(probe).has_value();
}

Result<drivers::TcpConnection> DataPathOffer::accept(Duration timeout, const std::atomic<bool>& cancelled) {
  return std::get<drivers::TcpListener>(opened_).accept(client_, session_, timeout, &cancelled);
}

drivers::UdpEndpoint DataPathOffer::take_endpoint() {
  return std::move(std::get<drivers::UdpEndpoint>(opened_));
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

Result<void> ServerSeries::start(DataPath path) {
  if (platform::build_is_realtime()) {
    latency_hold_.emplace(platform::LatencyHold::acquire(degraded_));
  }
  if (options_.plan.lock_memory) {
    memory_lock_.emplace(platform::MemoryLock::acquire(degraded_));
  }
  auto memory = platform::MappedMemory::map(port_memory_bytes);
  if (!memory) {
    return memory.error();
  }
  port_memory_.emplace(std::move(memory).value());
  port_.emplace(make_port(std::move(path), port_memory_->bytes(), plan_.shape.message_bytes));
  const Result<void> made = std::visit(
      [this]<typename Port>(Port& port) -> Result<void> {
        auto server = MappedObject<EchoServer<Port>>::make(port, plan_);
        if (!server) {
          return server.error();
        }
        server_.emplace<MappedObject<EchoServer<Port>>>(std::move(server).value());
        return {};
      },
      *port_);
  if (!made) {
    return made.error();
  }
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
  std::visit(
      [&series]<typename Port>(Port& port) {
        auto& server = *std::get<MappedObject<EchoServer<Port>>>(series.server_);
        run_server_loop(server, port, series.plan_.wait, series.options_.plan.cpu, series.stop_, series.record_);
        if constexpr (requires { port.shut_down(); }) {
          port.shut_down();  // desynchronised, stalled or stopped: a client that still waits need not time out
        }
      },
      *series.port_);
}

ServerReport ServerSeries::stop() {
  stop_.store(true, std::memory_order_relaxed);
  thread_->join();
  ServerReport report;
  report.port = port_json(*port_);
  report.blocked_waits = record_.blocked_waits;
  std::visit(
      [&]<typename Server>(const Server& server) {
        if constexpr (!std::is_same_v<Server, std::monostate>) {
          report.accounting = server->accounting();
          report.window = window_record(record_.windows, server->gaps(), report.notes, "determinism.server");
        }
      },
      server_);
  report.notes["determinism.server.interrupts"] = "of the whole series, rests included, like steal and migrations";
  thread_.reset();
  return report;
}

}  // namespace rtecho::pair

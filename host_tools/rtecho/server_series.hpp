// The server's side of one series: the data path is opened, tried out, and served by a measuring thread, until it is
// stopped. Between two series the server has neither a data port nor a real-time thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "control_messages.hpp"
#include "drivers/address.hpp"
#include "mapped_object.hpp"
#include "measuring_loop.hpp"
#include "options.hpp"
#include "platform/bootstrap.hpp"
#include "platform/latency_hold.hpp"
#include "port_factory.hpp"
#include "rt_core/echo_server.hpp"

namespace rtecho::pair {

// The data path before the client has shown that it is where it says it is.
class DataPathOffer {
 public:
  // Opens a UDP socket that is connected to `client`, or a TCP listener, on `local`'s address.
  static Result<DataPathOffer> open(const Arm& arm, const drivers::Address& local, const drivers::Address& client);

  [[nodiscard]] Connect connect() const;
  [[nodiscard]] std::uint64_t session() const { return session_; }
  // UDP: sends the probe with the nonce once more. Refusals are not reported: the probe is repeated.
  void send_probe();
  // UDP: only who received the probe knows it.
  [[nodiscard]] bool nonce_is(std::uint64_t nonce) const { return nonce == nonce_; }
  // TCP: waits for the client's connection. Blocks until it comes, the time is up, or `cancelled` is set.
  [[nodiscard]] Result<drivers::TcpConnection> accept(Duration timeout, const std::atomic<bool>& cancelled);
  // UDP: the path itself.
  [[nodiscard]] drivers::UdpEndpoint take_endpoint();

 private:
  using Opened = std::variant<drivers::UdpEndpoint, drivers::TcpListener>;
  DataPathOffer(Opened opened, const drivers::Address& client);

  Opened opened_;
  drivers::Address client_;
  std::uint64_t session_;
  std::uint64_t nonce_;
};

class ServerSeries {
 public:
  // Locks memory where asked, maps what the series needs, starts the measuring thread. Under --strict a grant that
  // falls short is an error (`denied`), and degraded() tells why.
  ServerSeries(const Arm& arm, std::uint64_t session, const ThreadOptions& options);
  // Stops the thread where it still runs.
  ~ServerSeries();
  ServerSeries(const ServerSeries&) = delete;
  ServerSeries& operator=(const ServerSeries&) = delete;

  Result<void> start(DataPath path);
  [[nodiscard]] const platform::ThreadGrant& grant() const { return thread_->grant(); }
  [[nodiscard]] const std::vector<std::string>& degraded() const { return degraded_; }
  [[nodiscard]] bool holds_cpu_latency() const { return latency_hold_ && latency_hold_->held(); }
  [[nodiscard]] WaitMode wait() const { return plan_.wait.mode; }
  // Ends the thread, at the latest after longest_wait, and says what was seen.
  [[nodiscard]] ServerReport stop();

 private:
  static void run(void* self);

  ThreadOptions options_;
  ServerPlan plan_;
  std::vector<std::string> degraded_;
  std::optional<platform::MemoryLock> memory_lock_;
  std::optional<platform::LatencyHold> latency_hold_;
  std::optional<platform::MappedMemory> port_memory_;
  std::optional<DataPort> port_;
  std::variant<std::monostate, MappedObject<EchoServer<drivers::UdpSocketPort>>,
               MappedObject<EchoServer<drivers::TcpStreamPort>>>
      server_;
  LoopRecord record_;
  alignas(limits::cache_line_bytes) std::atomic<bool> stop_{false};
  std::optional<platform::BootstrappedThread> thread_;
};

}  // namespace rtecho::pair

// The server's side of one series: the data path is opened, tried out, and served by a measuring thread, until it is
// stopped. Between two series the server has neither a data port nor a real-time thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "control_messages.hpp"
#include "data_port.hpp"
#include "drivers/address.hpp"
#include "drivers/tcp_connection.hpp"
#include "drivers/udp_endpoint.hpp"
#include "frame_link.hpp"
#include "measuring_loop.hpp"
#include "options.hpp"
#include "platform/bootstrap.hpp"
#include "platform/latency_hold.hpp"
#include "platform/memory.hpp"

namespace rtecho::pair {

// How an end takes part in udp: by a socket of the kernel, or by frames.
using Datagrams = std::variant<drivers::UdpEndpoint, FrameDatagrams>;

// The data path before the client has shown that it is where it says it is.
class DataPathOffer {
 public:
  // Opens a port that is bound to `client`, or a TCP listener, on `local`'s address. `frames`: where this end's driver
  // moves frames, else null.
  static Result<DataPathOffer> open(const Arm& arm, const drivers::Address& local, const drivers::Address& client,
                                    const FrameLink* frames);

  [[nodiscard]] const Connect& connect() const { return connect_; }
  [[nodiscard]] std::uint64_t session() const { return connect_.session; }
  // Not TCP: sends the probe with the nonce once more. Refusals are not reported: the probe is repeated.
  void send_probe();
  // Not TCP: only who received the probe knows it.
  [[nodiscard]] bool nonce_is(std::uint64_t nonce) const { return nonce == nonce_; }
  // TCP: waits for the client's connection. Blocks until it comes, the time is up, or `cancelled` is set.
  [[nodiscard]] Result<drivers::TcpConnection> accept(Duration timeout, const std::atomic<bool>& cancelled);
  // Not TCP: the path itself.
  [[nodiscard]] std::unique_ptr<DataPort> take_port();

 private:
  using Opened = std::variant<std::unique_ptr<DataPort>, drivers::TcpListener>;
  DataPathOffer(Opened opened, const Connect& connect, const drivers::Address& client);

  Opened opened_;
  Connect connect_;
  drivers::Address client_;
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

  Result<void> start(std::unique_ptr<DataPort> port);
  [[nodiscard]] const platform::ThreadGrant& grant() const { return thread_->grant(); }
  [[nodiscard]] const std::vector<std::string>& degraded() const { return degraded_; }
  [[nodiscard]] bool holds_cpu_latency() const { return latency_hold_ && latency_hold_->held(); }
  [[nodiscard]] WaitMode wait() const { return plan_.wait.mode; }
  // The loop has ended by itself: its port is of no use any more.
  [[nodiscard]] bool finished() const { return finished_.load(std::memory_order_acquire); }
  // Ends the thread, at the latest after longest_wait, and says what was seen.
  [[nodiscard]] ServerReport stop();

 private:
  static void run(void* self);

  ThreadOptions options_;
  ServerPlan plan_;
  std::vector<std::string> degraded_;
  std::optional<platform::MemoryLock> memory_lock_;
  std::optional<platform::LatencyHold> latency_hold_;
  std::unique_ptr<DataPort> port_;
  std::unique_ptr<ServerLoop> loop_;
  LoopRecord record_;
  alignas(limits::cache_line_bytes) std::atomic<bool> stop_{false};
  std::atomic<bool> finished_{false};
  std::optional<platform::BootstrappedThread> thread_;
};

}  // namespace rtecho::pair

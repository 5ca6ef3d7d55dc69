// A message port of any type, together with what lies under it, as ordinary code sees it: opened, tried out with a
// probe, and then given to a measuring loop. The calls here are virtual, because the port's type is chosen when the
// program runs; none of them is made between a step and its port.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "measuring_loop.hpp"
#include "rt_core/accounting.hpp"
#include "rt_core/gap_watch.hpp"
#include "rt_core/message_port.hpp"
#include "rt_core/result.hpp"
#include "rt_core/run_plan.hpp"
#include "rt_core/series_record.hpp"

namespace rtecho::pair {

// One EchoClient over its port, in memory of its own.
class ClientLoop {
 public:
  virtual ~ClientLoop() = default;
  // In the measuring thread: until the series is done, `stop` is requested, or `abandon` is set.
  virtual void run(std::optional<int> cpu, const platform::StopFlag& stop, const std::atomic<bool>& abandon,
                   EventChannel& channel, LoopRecord& record) = 0;
  // After the run; the two references may be taken before.
  [[nodiscard]] virtual const SeriesRecord& record() const = 0;
  [[nodiscard]] virtual const GapWatch& gaps() const = 0;
  [[nodiscard]] virtual std::uint64_t dropped_events() const = 0;
};

// One EchoServer over its port.
class ServerLoop {
 public:
  virtual ~ServerLoop() = default;
  // In the measuring thread: until `stop` is set, or the port is of no use any more.
  virtual void run(std::optional<int> cpu, const std::atomic<bool>& stop, LoopRecord& record) = 0;
  [[nodiscard]] virtual const ServerAccounting& accounting() const = 0;
  [[nodiscard]] virtual const GapWatch& gaps() const = 0;
};

class DataPort {
 public:
  virtual ~DataPort() = default;

  // For the probe, before a loop has the port. False where the message was not taken.
  virtual bool send_once(std::span<const std::byte> message) = 0;
  // The length of a message that came within `patience`, or that has come before.
  [[nodiscard]] virtual std::optional<std::size_t> receive_once(std::span<std::byte> buffer, Duration patience) = 0;
  // Throws away what has come.
  virtual void discard_arrivals() = 0;
  [[nodiscard]] virtual PortCapabilities capabilities() const = 0;

  // A loop that runs over this port, which must outlive it. One at a time.
  [[nodiscard]] virtual Result<std::unique_ptr<ClientLoop>> make_client(const ClientPlan& plan) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<ServerLoop>> make_server(const ServerPlan& plan) = 0;

  // After the run: the port's counters, and what its kind has besides (buffers that were granted, segments that were
  // sent again), in the words of the run file.
  [[nodiscard]] virtual nlohmann::json facts() const = 0;
  // After the run: writes the capture, where one was asked for; the sentence of what went wrong.
  [[nodiscard]] virtual std::optional<std::string> write_capture() { return std::nullopt; }
};

}  // namespace rtecho::pair

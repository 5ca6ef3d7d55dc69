// DataPort for one type of port. Included by the files that open ports of a kind (socket_ports.cpp and its like) and by
// nobody else: the loops are compiled there, once for each type.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "data_port.hpp"
#include "facts_json.hpp"
#include "mapped_object.hpp"
#include "platform/clock.hpp"
#include "rt_core/echo_client.hpp"
#include "rt_core/echo_server.hpp"
#include "rt_core/limits.hpp"

namespace rtecho::pair {

template <MessagePort Port>
class ClientLoopOf final : public ClientLoop {
 public:
  static Result<std::unique_ptr<ClientLoop>> make(Port& port, const ClientPlan& plan) {
    auto client = MappedObject<EchoClient<Port>>::make(port, plan);
    if (!client) {
      return client.error();
    }
    return std::unique_ptr<ClientLoop>(new ClientLoopOf(port, plan.wait, std::move(client).value()));
  }

  void run(std::optional<int> cpu, const platform::StopFlag& stop, const std::atomic<bool>& abandon,
           EventChannel& channel, LoopRecord& record) override {
    run_client_loop(*client_, port_, wait_, cpu, stop, abandon, channel, record);
  }
  [[nodiscard]] const SeriesRecord& record() const override { return client_->record(); }
  [[nodiscard]] const GapWatch& gaps() const override { return client_->gaps(); }
  [[nodiscard]] std::uint64_t dropped_events() const override { return client_->events().dropped(); }

 private:
  ClientLoopOf(Port& port, const WaitPlan& wait, MappedObject<EchoClient<Port>> client)
      : port_(port), wait_(wait), client_(std::move(client)) {}

  Port& port_;
  WaitPlan wait_;
  MappedObject<EchoClient<Port>> client_;
};

template <MessagePort Port>
class ServerLoopOf final : public ServerLoop {
 public:
  static Result<std::unique_ptr<ServerLoop>> make(Port& port, const ServerPlan& plan) {
    auto server = MappedObject<EchoServer<Port>>::make(port, plan);
    if (!server) {
      return server.error();
    }
    return std::unique_ptr<ServerLoop>(new ServerLoopOf(port, plan.wait, std::move(server).value()));
  }

  void run(std::optional<int> cpu, const std::atomic<bool>& stop, LoopRecord& record) override {
    run_server_loop(*server_, port_, wait_, cpu, stop, record);
    if constexpr (requires(Port & port) { port.shut_down(); }) {
      port_.shut_down();  // desynchronised, stalled or stopped: a client that still waits need not time out
    }
  }
  [[nodiscard]] const ServerAccounting& accounting() const override { return server_->accounting(); }
  [[nodiscard]] const GapWatch& gaps() const override { return server_->gaps(); }

 private:
  ServerLoopOf(Port& port, const WaitPlan& wait, MappedObject<EchoServer<Port>> server)
      : port_(port), wait_(wait), server_(std::move(server)) {}

  Port& port_;
  WaitPlan wait_;
  MappedObject<EchoServer<Port>> server_;
};

// `Stack` is a port with everything below it: it has a member `port`, a MessagePort, may have `nlohmann::json
// more_facts() const` and `std::optional<std::string> write_capture()`, and stays where it was made.
template <typename Stack>
class DataPortOf final : public DataPort {
 public:
  template <typename... Arguments>
  explicit DataPortOf(Arguments&&... arguments) : stack_(std::forward<Arguments>(arguments)...) {}

  bool send_once(std::span<const std::byte> message) override {
    const std::span<std::byte> frame = stack_.port.acquire(message.size());
    if (frame.size() < message.size()) {
      return false;
    }
    std::memcpy(frame.data(), message.data(), message.size());
    return stack_.port.send(frame) == SendOutcome::sent;
  }

  std::optional<std::size_t> receive_once(std::span<std::byte> buffer, Duration patience) override {
    const Instant give_up = platform::MonotonicClock::now() + patience;
    do {
      std::array<Arrival, 1> arrivals;
      if (stack_.port.receive(arrivals) == 1) {
        const std::span<const std::byte> message = arrivals[0].bytes;
        const std::size_t bytes = message.size() < buffer.size() ? message.size() : buffer.size();
        std::memcpy(buffer.data(), message.data(), bytes);
        stack_.port.release(arrivals[0]);
        return bytes;
      }
      stack_.port.wait(give_up);
    } while (platform::MonotonicClock::now() < give_up);
    return std::nullopt;
  }

  void discard_arrivals() override {
    std::array<Arrival, limits::receive_batch> arrivals;
    constexpr int looks_max = 4'096;  // a peer may send as fast as it is read
    for (int i = 0; i < looks_max; ++i) {
      const std::size_t count = stack_.port.receive(arrivals);
      if (count == 0) {
        return;
      }
      for (const Arrival& arrival : std::span(arrivals).first(count)) {
        stack_.port.release(arrival);
      }
    }
  }

  [[nodiscard]] PortCapabilities capabilities() const override { return stack_.port.capabilities(); }

  Result<std::unique_ptr<ClientLoop>> make_client(const ClientPlan& plan) override {
    return ClientLoopOf<decltype(stack_.port)>::make(stack_.port, plan);
  }
  Result<std::unique_ptr<ServerLoop>> make_server(const ServerPlan& plan) override {
    return ServerLoopOf<decltype(stack_.port)>::make(stack_.port, plan);
  }

  [[nodiscard]] nlohmann::json facts() const override {
    nlohmann::json object = to_json(stack_.port.counters());
    if constexpr (requires(const Stack& stack) { stack.more_facts(); }) {
      object.update(stack_.more_facts());
    }
    return object;
  }
  std::optional<std::string> write_capture() override {
    if constexpr (requires(Stack & stack) { stack.write_capture(); }) {
      return stack_.write_capture();
    }
    return std::nullopt;
  }

 private:
  Stack stack_;
};

}  // namespace rtecho::pair

// The client's side of one series: the data path is agreed on and tried out, a measuring thread runs the plan, and
// ordinary code watches over it.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "control_client.hpp"
#include "control_messages.hpp"
#include "mapped_object.hpp"
#include "measuring_loop.hpp"
#include "options.hpp"
#include "platform/bootstrap.hpp"
#include "platform/stop_flag.hpp"
#include "port_factory.hpp"
#include "rt_core/echo_client.hpp"
#include "rt_core/series_record.hpp"

namespace rtecho::pair {

class ClientSeries {
 public:
  // Called for each event of the measuring thread, in the ordinary thread.
  using EventHandler = std::function<void(const Event&)>;

  ClientSeries(ControlClient& control, const ClientOptions& options, std::uint32_t message_bytes);
  ~ClientSeries();
  ClientSeries(const ClientSeries&) = delete;
  ClientSeries& operator=(const ClientSeries&) = delete;

  // Agrees with the server, opens the data path, starts the measuring thread. Throws ProgramFailure.
  void start(const platform::StopFlag& stop);
  // Until the series ends, whatever ends it. Then asks the server for its half.
  void watch(const EventHandler& on_event);

  // After watch().
  [[nodiscard]] const SeriesRecord& record() const { return *record_; }
  [[nodiscard]] const GapWatch& gaps() const { return *gaps_; }
  [[nodiscard]] const LoopRecord& loop() const { return loop_; }
  [[nodiscard]] const ClientPlan& plan() const { return plan_; }
  [[nodiscard]] nlohmann::json port_counters() const;
  [[nodiscard]] const platform::ThreadGrant& grant() const { return thread_->grant(); }
  [[nodiscard]] const Armed& armed() const { return armed_; }
  [[nodiscard]] const std::optional<ServerReport>& server() const { return server_report_; }
  // Events that found the channel or the log full.
  [[nodiscard]] std::uint64_t dropped_events() const { return dropped_events_; }

 private:
  [[nodiscard]] DataPath agree();
  [[nodiscard]] DataPath agree_on_udp(const Arm& arm);
  [[nodiscard]] DataPath agree_on_tcp(const Arm& arm);
  [[nodiscard]] Connect ask_for_path(const Arm& arm);
  void note_armed(const nlohmann::json& answer);
  static void run(void* self);

  ControlClient& control_;
  const ClientOptions& options_;
  ClientPlan plan_;
  Armed armed_;
  std::optional<platform::MappedMemory> port_memory_;
  std::optional<DataPort> port_;
  std::variant<std::monostate, MappedObject<EchoClient<drivers::UdpSocketPort>>,
               MappedObject<EchoClient<drivers::TcpStreamPort>>>
      client_;
  std::optional<MappedObject<EventChannel>> channel_;
  const platform::StopFlag* stop_ = nullptr;
  alignas(limits::cache_line_bytes) std::atomic<bool> abandon_{false};
  std::atomic<bool> finished_{false};
  LoopRecord loop_;
  std::optional<platform::BootstrappedThread> thread_;
  const SeriesRecord* record_ = nullptr;
  const GapWatch* gaps_ = nullptr;
  std::optional<ServerReport> server_report_;
  std::uint64_t dropped_events_ = 0;
};

}  // namespace rtecho::pair

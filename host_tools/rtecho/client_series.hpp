// The client's side of one series: the data path is agreed on and tried out, a measuring thread runs the plan, and
// ordinary code watches over it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "control_client.hpp"
#include "control_messages.hpp"
#include "data_port.hpp"
#include "frame_link.hpp"
#include "mapped_object.hpp"
#include "measuring_loop.hpp"
#include "options.hpp"
#include "platform/bootstrap.hpp"
#include "platform/stop_flag.hpp"
#include "rt_core/series_record.hpp"

namespace rtecho::pair {

// A size that this path cannot carry: a fact about the path, not a failure of the run.
class UntestableSize : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ClientSeries {
 public:
  // Called for each event of the measuring thread, in the ordinary thread.
  using EventHandler = std::function<void(const Event&)>;

  // `control`: null where the ends agreed on everything beforehand (--no-control). `frames`: where this end's driver
  // moves frames, else null. All must outlive the series.
  ClientSeries(ControlClient* control, const FrameLink* frames, const ClientOptions& options,
               std::uint32_t message_bytes);
  ~ClientSeries();
  ClientSeries(const ClientSeries&) = delete;
  ClientSeries& operator=(const ClientSeries&) = delete;

  // Agrees with the server, opens the data path, starts the measuring thread. Throws ProgramFailure, and
  // UntestableSize where an end's interface is too small for the message.
  void start(const platform::StopFlag& stop);
  // Until the series ends, whatever ends it. Then asks the server for its half.
  void watch(const EventHandler& on_event);

  // After watch().
  [[nodiscard]] const SeriesRecord& record() const { return loop_->record(); }
  [[nodiscard]] const GapWatch& gaps() const { return loop_->gaps(); }
  [[nodiscard]] const LoopRecord& loop() const { return loop_record_; }
  [[nodiscard]] const ClientPlan& plan() const { return plan_; }
  [[nodiscard]] nlohmann::json port_counters() const;
  [[nodiscard]] const platform::ThreadGrant& grant() const { return thread_->grant(); }
  // Absent without a control channel.
  [[nodiscard]] const std::optional<Armed>& armed() const { return armed_; }
  [[nodiscard]] const std::optional<ServerReport>& server() const { return server_report_; }
  // Events that found the channel or the log full.
  [[nodiscard]] std::uint64_t dropped_events() const { return dropped_events_; }
  // Why the capture that was asked for could not be written.
  [[nodiscard]] const std::optional<std::string>& capture_failure() const { return capture_failure_; }

 private:
  void check_size() const;
  [[nodiscard]] std::unique_ptr<DataPort> agree();
  [[nodiscard]] std::unique_ptr<DataPort> agree_on_udp(const Arm& arm);
  [[nodiscard]] std::unique_ptr<DataPort> agree_on_udp_frames(const Arm& arm);
  [[nodiscard]] std::unique_ptr<DataPort> agree_on_eth(const Arm& arm);
  [[nodiscard]] std::unique_ptr<DataPort> agree_on_tcp(const Arm& arm);
  [[nodiscard]] drivers::Address data_server(const Connect& path) const;
  // `whence`: the rest of the sentence "no probe from …".
  void await_probe(DataPort& port, const std::string& whence);
  [[nodiscard]] Connect ask_for_path(const Arm& arm);
  void note_armed(const nlohmann::json& answer);
  void wait_a_while();
  static void run(void* self);

  ControlClient* control_;
  const FrameLink* frames_;
  const ClientOptions& options_;
  ClientPlan plan_;
  std::optional<Armed> armed_;
  std::unique_ptr<DataPort> port_;
  std::unique_ptr<ClientLoop> loop_;
  std::optional<MappedObject<EventChannel>> channel_;
  const platform::StopFlag* stop_ = nullptr;
  alignas(limits::cache_line_bytes) std::atomic<bool> abandon_{false};
  std::atomic<bool> finished_{false};
  LoopRecord loop_record_;
  std::optional<platform::BootstrappedThread> thread_;
  std::optional<ServerReport> server_report_;
  std::optional<std::string> capture_failure_;
  std::uint64_t dropped_events_ = 0;
};

}  // namespace rtecho::pair

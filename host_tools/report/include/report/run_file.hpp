// The run file, schema rtecho.run/1: one run of the pair as plain data, and its JSON text. Field names here and
// there are the same; docs/measurement.md says what each one means. What was not measured is absent here and
// null there, with a reason in `notes`; it is never 0.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/latency_summary.hpp"
#include "report/outcome.hpp"
#include "rt_core/accounting.hpp"

namespace rtecho::report {

inline constexpr std::string_view run_file_schema = "rtecho.run/1";

// Path of a null value, below the object that carries the notes ("determinism.server"), to its reason.
using Notes = std::map<std::string, std::string>;

// The same fact of both ends. The server's is absent where its half did not arrive.
template <typename T>
struct BothEnds {
  T client{};
  std::optional<T> server;

  friend bool operator==(const BothEnds&, const BothEnds&) = default;
};

struct Tool {
  std::string name;
  std::string version;
  std::string build;  // "realtime" or "normal"
  std::string compiler;

  friend bool operator==(const Tool&, const Tool&) = default;
};

struct EndRecord {
  nlohmann::json host = nlohmann::json::object();     // facts of the machine
  nlohmann::json granted = nlohmann::json::object();  // read back from the system
  std::vector<std::string> degraded;                  // what was asked for and not granted, with the reason

  friend bool operator==(const EndRecord&, const EndRecord&) = default;
};

struct AccountingRecord {
  ClientAccounting client;
  std::optional<ServerAccounting> server;
  std::optional<std::uint64_t> lost_up;
  std::optional<std::uint64_t> lost_down;

  friend bool operator==(const AccountingRecord&, const AccountingRecord&) = default;
};

struct BatchRecord {
  std::uint64_t n = 0;
  std::optional<std::int64_t> min_ns;
  std::optional<std::int64_t> max_ns;

  friend bool operator==(const BatchRecord&, const BatchRecord&) = default;
};

struct SlowMessage {
  std::uint64_t sequence = 0;
  std::optional<std::int64_t> intended_ns;
  std::optional<std::int64_t> send_ns;
  std::optional<std::int64_t> server_receive_ns;
  std::optional<std::int64_t> server_send_ns;
  std::optional<std::int64_t> receive_ns;

  friend bool operator==(const SlowMessage&, const SlowMessage&) = default;
};

struct GapRecord {
  std::int64_t at_ns = 0;
  std::int64_t length_ns = 0;

  friend bool operator==(const GapRecord&, const GapRecord&) = default;
};

// Of one end's real-time thread, summed over the batches.
struct WindowRecord {
  std::optional<std::uint64_t> heap_allocations;
  std::optional<std::uint64_t> minor_faults;
  std::optional<std::uint64_t> major_faults;
  std::optional<std::uint64_t> voluntary_switches;
  std::optional<std::uint64_t> involuntary_switches;
  std::optional<std::uint64_t> migrations;
  std::optional<std::uint64_t> interrupts;
  std::optional<std::int64_t> longest_gap_ns;
  std::optional<std::uint64_t> gap_count;
  std::vector<GapRecord> gaps;  // the longest of gap_count, by time
  std::optional<std::int64_t> steal_ns;

  friend bool operator==(const WindowRecord&, const WindowRecord&) = default;
};

struct DeterminismRecord {
  std::optional<WindowRecord> client;
  std::optional<WindowRecord> server;

  friend bool operator==(const DeterminismRecord&, const DeterminismRecord&) = default;
};

// One protocol, one message size, one pacing.
struct SeriesRecord {
  std::string protocol;
  std::string client_driver;
  std::optional<std::string> server_driver;
  std::uint64_t message_bytes = 0;
  std::optional<std::uint64_t> fragments;  // IP fragments per message
  BothEnds<std::string> wait;              // "spin", "block", or "spin*": spun, but blocked outside rests
  BothEnds<std::uint64_t> blocked_waits;
  std::uint64_t rests = 0;
  AccountingRecord accounting;
  BothEnds<nlohmann::json> port{nlohmann::json::object(), std::nullopt};  // the driver's own counters
  std::int64_t elapsed_ns = 0;
  std::vector<BatchRecord> batches;
  std::uint64_t batches_per_record = 1;
  std::optional<ResumeSummary> resume;
  std::optional<LatencySummary> service;
  std::optional<LatencySummary> response;  // null without a schedule, like slip
  std::optional<LatencySummary> slip;
  std::optional<LatencySummary> turnaround;
  std::optional<LatencySummary> residence;
  std::vector<SlowMessage> slowest;
  DeterminismRecord determinism;
  Notes notes;

  friend bool operator==(const SeriesRecord&, const SeriesRecord&) = default;
};

struct RunFile {
  Tool tool;
  bool realtime = false;  // every ingredient was granted; never true for the normal build
  std::string label;
  std::string started;                             // RFC 3339
  nlohmann::json plan = nlohmann::json::object();  // as asked
  EndRecord client;
  std::optional<EndRecord> server;
  std::vector<SeriesRecord> series;
  bool complete = false;  // false: interrupted, or ended by its peer
  std::vector<std::string> warnings;
  Notes notes;

  friend bool operator==(const RunFile&, const RunFile&) = default;
};

// Where a run's notes say that it has no series of this size, because the path cannot carry it.
[[nodiscard]] std::string untestable_key(std::string_view protocol, std::uint64_t message_bytes);

[[nodiscard]] nlohmann::json to_json(const RunFile& run);
// Accepts unknown keys. Everything else must be there and of its type: the sentence names `source` and the key.
[[nodiscard]] Outcome<RunFile> run_file_from_json(const nlohmann::json& json, std::string_view source);
[[nodiscard]] Outcome<RunFile> run_file_from_text(std::string_view text, std::string_view source);

// The parts that also travel over the control channel, in the same words.
[[nodiscard]] nlohmann::json to_json(const ServerAccounting& accounting);
[[nodiscard]] nlohmann::json to_json(const WindowRecord& window);
[[nodiscard]] nlohmann::json to_json(const LatencySummary& summary);
[[nodiscard]] nlohmann::json to_json(const EndRecord& end);
[[nodiscard]] Outcome<ServerAccounting> server_accounting_from_json(const nlohmann::json& json,
                                                                    std::string_view source);
[[nodiscard]] Outcome<WindowRecord> window_record_from_json(const nlohmann::json& json, std::string_view source);
[[nodiscard]] Outcome<LatencySummary> latency_summary_from_json(const nlohmann::json& json, std::string_view source);
[[nodiscard]] Outcome<EndRecord> end_record_from_json(const nlohmann::json& json, std::string_view source);

// "-" writes to standard output. See text_file.hpp for what a reader of `path` can rely on.
[[nodiscard]] Outcome<Done> write_run_file(const std::string& path, const RunFile& run);
[[nodiscard]] Outcome<RunFile> read_run_file(const std::string& path);

}  // namespace rtecho::report

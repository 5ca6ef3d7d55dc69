#include "report/run_file.hpp"

#include <fmt/format.h>

#include <utility>

#include "json_reader.hpp"
#include "json_writer.hpp"
#include "report/histogram_codec.hpp"
#include "report/text_file.hpp"
#include "report/timestamp.hpp"

namespace rtecho::report {
namespace {

// The schema needs eight levels; host facts a few more. Copying and destroying a value recurses by its depth.
constexpr int depth_max = 32;

// Messages below 16 bytes have no fill and no check: whether one was altered cannot be told, and the file says null.
// In memory it is a counter that nothing counts up.
constexpr std::uint64_t tag_form_bytes_max = 15;
constexpr const char* undecidable = "messages below 16 bytes carry nothing that an alteration would contradict";

void hide_undecidable(nlohmann::json& run) {
  for (nlohmann::json& series : run["series"]) {
    if (series["message_bytes"].get<std::uint64_t>() <= tag_form_bytes_max) {
      series["accounting"]["client"]["corrupt"] = nullptr;
      series["notes"]["accounting.client.corrupt"] = undecidable;
    }
  }
}

// The counterpart, on a file of anybody's making: touches nothing that is not as hide_undecidable() leaves it.
void restore_undecidable(nlohmann::json& run) {
  const nlohmann::json::json_pointer corrupt("/accounting/client/corrupt");
  const auto all = run.find("series");
  if (all == run.end() || !all->is_array()) {
    return;
  }
  for (nlohmann::json& series : *all) {
    if (series.is_object() && series.contains(corrupt) && series[corrupt].is_null()) {
      series[corrupt] = 0U;
      if (const auto notes = series.find("notes"); notes != series.end() && notes->is_object()) {
        notes->erase("accounting.client.corrupt");
      }
    }
  }
}

template <typename Record>
Outcome<Record> record_from_json(const nlohmann::json& json, std::string_view source) {
  Record record;
  const std::string problem = JsonReader::read(json, record);
  if (!problem.empty()) {
    return Failure{FailureKind::content, fmt::format("{}: {}", source, problem)};
  }
  return record;
}

}  // namespace

std::string JsonReader::contradiction(const LatencySummary& summary, const std::string& path) {
  if (summary.n < summary.saturated) {
    return path + ".saturated is larger than n";
  }
  if (!summary.histogram) {
    return {};
  }
  const Outcome<std::vector<std::uint64_t>> counts = decode_histogram(*summary.histogram);
  if (!counts) {
    return path + ".histogram: " + counts.failure().sentence;
  }
  std::uint64_t total = 0;
  for (const std::uint64_t count : counts.value()) {
    total += count;
  }
  if (total != summary.n - summary.saturated) {
    return fmt::format("{}.histogram holds {} samples, n - saturated is {}", path, total,
                       summary.n - summary.saturated);
  }
  return {};
}

std::string JsonReader::contradiction(const Tool& tool, const std::string& path) {
  return tool.build == "realtime" || tool.build == "normal" ? std::string()
                                                            : path + ".build is neither realtime nor normal";
}

std::string JsonReader::contradiction(const RunFile& run, const std::string& /*path*/) {
  return unix_ns_from_rfc3339(run.started) ? std::string() : "started is no RFC 3339 time";
}

nlohmann::json to_json(const ServerAccounting& accounting) {
  return JsonWriter::write(accounting);
}
nlohmann::json to_json(const WindowRecord& window) {
  return JsonWriter::write(window);
}
nlohmann::json to_json(const LatencySummary& summary) {
  return JsonWriter::write(summary);
}
nlohmann::json to_json(const EndRecord& end) {
  return JsonWriter::write(end);
}

std::string untestable_key(std::string_view protocol, std::uint64_t message_bytes) {
  return fmt::format("series.{}.{}", protocol, message_bytes);
}

nlohmann::json to_json(const RunFile& run) {
  nlohmann::json json = JsonWriter::write(run);
  json["schema"] = run_file_schema;
  hide_undecidable(json);
  return json;
}

Outcome<ServerAccounting> server_accounting_from_json(const nlohmann::json& json, std::string_view source) {
  return record_from_json<ServerAccounting>(json, source);
}

Outcome<WindowRecord> window_record_from_json(const nlohmann::json& json, std::string_view source) {
  return record_from_json<WindowRecord>(json, source);
}

Outcome<LatencySummary> latency_summary_from_json(const nlohmann::json& json, std::string_view source) {
  return record_from_json<LatencySummary>(json, source);
}

Outcome<EndRecord> end_record_from_json(const nlohmann::json& json, std::string_view source) {
  return record_from_json<EndRecord>(json, source);
}

Outcome<RunFile> run_file_from_json(const nlohmann::json& json, std::string_view source) {
  const auto schema = json.find("schema");
  if (schema == json.end() || !schema->is_string()) {
    return Failure{FailureKind::content, fmt::format("{}: no run file, it has no schema", source)};
  }
  const auto& named = schema->get_ref<const std::string&>();
  if (named != run_file_schema) {
    return Failure{FailureKind::content,
                   fmt::format("{}: its schema is {}, this program reads {}", source, named, run_file_schema)};
  }
  nlohmann::json complete = json;
  restore_undecidable(complete);
  return record_from_json<RunFile>(complete, source);
}

Outcome<RunFile> run_file_from_text(std::string_view text, std::string_view source) {
  bool too_deep = false;
  // Throws only what a lack of memory throws: the last argument but one asks for a discarded value instead.
  const nlohmann::json json = nlohmann::json::parse(
      text,
      [&too_deep](int depth, nlohmann::json::parse_event_t /*event*/, nlohmann::json& /*value*/) {
        too_deep = too_deep || depth > depth_max;
        return depth <= depth_max;
      },
      false);
  if (json.is_discarded()) {
    return Failure{FailureKind::content, fmt::format("{}: no run file, its JSON is damaged or cut off", source)};
  }
  if (too_deep) {
    return Failure{FailureKind::content, fmt::format("{}: nested deeper than {} levels", source, depth_max)};
  }
  return run_file_from_json(json, source);
}

Outcome<Done> write_run_file(const std::string& path, const RunFile& run) {
  // Text from the system may be no UTF-8: better a replacement character than a lost run.
  std::string text = to_json(run).dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
  text += '\n';
  return write_text_file(path, text);
}

Outcome<RunFile> read_run_file(const std::string& path) {
  const Outcome<std::string> text = read_text_file(path);
  if (!text) {
    return text.failure();
  }
  return run_file_from_text(text.value(), path);
}

}  // namespace rtecho::report

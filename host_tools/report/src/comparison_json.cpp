#include <cstdint>
#include <optional>
#include <vector>

#include "report/comparison_text.hpp"
#include "report/reference_rtx.hpp"

namespace rtecho::report {
namespace {

nlohmann::json json_of(const ComparedGroup& group) {
  return {{"name", group.name},
          {"build", group.build},
          {"labels", group.labels},
          {"runs", group.runs},
          {"runs_not_realtime", group.runs_not_realtime},
          {"runs_in_doubt", group.runs_in_doubt},
          {"doubts", group.doubts},
          {"waits", group.waits}};
}

nlohmann::json json_of(std::optional<std::int64_t> value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

nlohmann::json json_of(const SeriesFigures& figures) {
  return {{"runs", figures.runs},
          {"n", figures.n},
          {"min_ns", json_of(figures.min_ns)},
          {"max_ns", json_of(figures.max_ns)},
          {"max_sequence", figures.max_ns ? nlohmann::json(figures.max_sequence) : nlohmann::json(nullptr)},
          {"max_source", figures.max_source},
          {"median_of_maxima_ns", json_of(figures.median_of_maxima_ns)},
          {"p99.9_ns", json_of(figures.p99_9_ns)},
          {"jitter_ns", json_of(figures.jitter_ns())},
          {"resume_max_ns", json_of(figures.resume_max_ns)},
          {"lost", figures.lost},
          {"errors", figures.errors}};
}

nlohmann::json json_of(const SeriesKey& key) {
  return {{"protocol", key.protocol},
          {"message_bytes", key.message_bytes},
          {"client_driver", key.client_driver},
          {"server_driver", key.server_driver.empty() ? nlohmann::json(nullptr) : nlohmann::json(key.server_driver)},
          {"paced", key.paced}};
}

nlohmann::json json_of(const std::optional<RatioRange>& ratio) {
  if (!ratio) {
    return nullptr;
  }
  return {{"median", ratio->median}, {"lowest", ratio->lowest}, {"highest", ratio->highest}, {"pairs", ratio->pairs}};
}

nlohmann::json json_of(const PublishedResult* result) {
  if (result == nullptr) {
    return nullptr;
  }
  return {{"messages", result->messages},
          {"min_us", result->min_us},
          {"max_us", result->max_us},
          {"errors", result->errors},
          {"lost", result->lost}};
}

nlohmann::json reference_json(const SeriesKey& key) {
  const std::optional<double> ratio = published_max_ratio(key.protocol, key.message_bytes);
  return {{"rtx", json_of(published_result(key.protocol, key.message_bytes, "rtx"))},
          {"windows", json_of(published_result(key.protocol, key.message_bytes, "windows"))},
          {"max_ratio", ratio ? nlohmann::json(*ratio) : nlohmann::json(nullptr)}};
}

nlohmann::json json_of(const std::vector<SeriesKey>& keys) {
  nlohmann::json list = nlohmann::json::array();
  for (const SeriesKey& key : keys) {
    list.push_back(json_of(key));
  }
  return list;
}

}  // namespace

nlohmann::json comparison_json(const Comparison& comparison, Reference reference) {
  nlohmann::json series_list = nlohmann::json::array();
  for (const ComparedSeries& series : comparison.series) {
    nlohmann::json entry = json_of(series.key);
    entry["candidate"] = json_of(series.candidate);
    entry["baseline"] = json_of(series.baseline);
    entry["max_ratio"] = json_of(series.ratio);
    if (reference == Reference::rtx) {
      entry["reference_rtx"] = reference_json(series.key);
    }
    series_list.push_back(entry);
  }
  return {{"candidate", json_of(comparison.candidate)},
          {"baseline", json_of(comparison.baseline)},
          {"waits_differ", comparison.waits_differ()},
          {"series", series_list},
          {"only_in_candidate", json_of(comparison.only_in_candidate)},
          {"only_in_baseline", json_of(comparison.only_in_baseline)},
          {"summary", summary_sentence(comparison)}};
}

}  // namespace rtecho::report

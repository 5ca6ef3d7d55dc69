// JSON to records, by the field lists of run_file_fields.hpp. Checks presence and type of every field and stops
// at the first that is wrong; unknown keys are not looked at. Throws nothing: it asks for the type before it takes
// a value.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "run_file_fields.hpp"

namespace rtecho::report {

class JsonReader {
 public:
  // What is wrong, as "series[2].service.n is missing"; empty where the record is filled.
  template <typename Record>
  static std::string read(const nlohmann::json& json, Record& record) {
    std::string problem;
    JsonReader(json, "", problem).take(json, "", record);
    return problem;
  }

  // Called by describe.
  template <typename T>
  void operator()(const char* name, T& value) {
    if (!problem_.empty()) {
      return;
    }
    const std::string path = path_.empty() ? name : path_ + "." + name;
    const auto found = object_.find(name);
    if (found == object_.end()) {
      problem_ = path + " is missing";
      return;
    }
    take(*found, path, value);
  }

 private:
  JsonReader(const nlohmann::json& object, std::string path, std::string& problem)
      : object_(object), path_(std::move(path)), problem_(problem) {}

  void mismatch(const nlohmann::json& json, const std::string& path, const char* expected) {
    problem_ = (path.empty() ? "the whole" : path) + " is of type " + json.type_name() + ", expected " + expected;
  }

  void take(const nlohmann::json& json, const std::string& path, bool& value) {
    if (!json.is_boolean()) {
      return mismatch(json, path, "true or false");
    }
    value = json.get<bool>();
  }
  void take(const nlohmann::json& json, const std::string& path, std::uint64_t& value) {
    if (!json.is_number_unsigned() && !(json.is_number_integer() && json.get<std::int64_t>() >= 0)) {
      return mismatch(json, path, "an integer of at least 0");
    }
    value = json.get<std::uint64_t>();
  }
  void take(const nlohmann::json& json, const std::string& path, std::int64_t& value) {
    if (!json.is_number_integer() ||
        (json.is_number_unsigned() &&
         json.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))) {
      return mismatch(json, path, "an integer of 64 bits");
    }
    value = json.get<std::int64_t>();
  }
  void take(const nlohmann::json& json, const std::string& path, std::string& value) {
    if (!json.is_string()) {
      return mismatch(json, path, "a string");
    }
    value = json.get<std::string>();
  }
  void take(const nlohmann::json& json, const std::string& path, nlohmann::json& value) {
    if (!json.is_object()) {
      return mismatch(json, path, "an object");
    }
    value = json;
  }
  template <typename T>
  void take(const nlohmann::json& json, const std::string& path, std::optional<T>& value) {
    if (json.is_null()) {
      value.reset();
      return;
    }
    take(json, path, value.emplace());
  }
  template <typename T>
  void take(const nlohmann::json& json, const std::string& path, std::vector<T>& values) {
    if (!json.is_array()) {
      return mismatch(json, path, "an array");
    }
    values.clear();
    for (const nlohmann::json& element : json) {
      if (!problem_.empty()) {
        return;
      }
      std::string element_path = path;
      element_path.append("[").append(std::to_string(values.size())).append("]");
      take(element, element_path, values.emplace_back());
    }
  }
  template <typename T>
  void take(const nlohmann::json& json, const std::string& path, std::map<std::string, T>& values) {
    if (!json.is_object()) {
      return mismatch(json, path, "an object");
    }
    values.clear();
    for (const auto& [key, element] : json.items()) {
      if (!problem_.empty()) {
        return;
      }
      std::string element_path = path;
      element_path.append(".").append(key);
      take(element, element_path, values[key]);
    }
  }
  template <typename Record>
  void take(const nlohmann::json& json, const std::string& path, Record& record) {
    if (!json.is_object()) {
      return mismatch(json, path, "an object");
    }
    JsonReader inner(json, path, problem_);
    describe(inner, record);
    if (problem_.empty()) {
      problem_ = contradiction(record, path);
    }
  }

  // What the types alone do not say. Most records have nothing.
  template <typename Record>
  static std::string contradiction(const Record& /*record*/, const std::string& /*path*/) {
    return {};
  }
  static std::string contradiction(const LatencySummary& summary, const std::string& path);
  static std::string contradiction(const Tool& tool, const std::string& path);
  static std::string contradiction(const RunFile& run, const std::string& path);

  const nlohmann::json& object_;
  std::string path_;
  std::string& problem_;
};

}  // namespace rtecho::report

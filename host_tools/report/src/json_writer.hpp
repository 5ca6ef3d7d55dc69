// Records to JSON, by the field lists of run_file_fields.hpp.
#pragma once

#include <concepts>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "run_file_fields.hpp"

namespace rtecho::report {

class JsonWriter {
 public:
  template <typename Record>
  static nlohmann::json write(const Record& record) {
    JsonWriter writer;
    describe(writer, record);
    return std::move(writer.object_);
  }

  // Called by describe.
  template <typename T>
  void operator()(const char* name, const T& value) {
    object_[name] = json_of(value);
  }

 private:
  template <typename T>
  static nlohmann::json json_of(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string> || std::same_as<T, nlohmann::json>) {
      return value;
    } else {
      return write(value);
    }
  }
  template <typename T>
  static nlohmann::json json_of(const std::optional<T>& value) {
    return value ? json_of(*value) : nlohmann::json(nullptr);
  }
  template <typename T>
  static nlohmann::json json_of(const std::vector<T>& values) {
    nlohmann::json list = nlohmann::json::array();
    for (const T& value : values) {
      list.push_back(json_of(value));
    }
    return list;
  }
  template <typename T>
  static nlohmann::json json_of(const std::map<std::string, T>& values) {
    return nlohmann::json(nlohmann::json::object_t(values.begin(), values.end()));
  }

  nlohmann::json object_ = nlohmann::json::object();
};

}  // namespace rtecho::report

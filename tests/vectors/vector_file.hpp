// The files of this folder: fields that say what a vector is, then a request and its reply as bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "rt_core/time.hpp"

namespace rtecho::test {

struct Vector {
  std::map<std::string, std::string> fields;
  std::vector<std::byte> request;
  std::vector<std::byte> reply;

  [[nodiscard]] std::uint64_t number(const std::string& key) const { return std::stoull(fields.at(key)); }
  [[nodiscard]] Instant instant(const std::string& key) const { return Instant::from_ns(std::stoll(fields.at(key))); }
};

inline Vector read_vector(const std::filesystem::path& path) {
  Vector vector;
  std::ifstream file(path);
  std::vector<std::byte>* part = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("# ")) {
      const std::size_t colon = line.find(": ");
      vector.fields[line.substr(2, colon - 2)] = line.substr(colon + 2);
    } else if (line == "request:") {
      part = &vector.request;
    } else if (line == "reply:") {
      part = &vector.reply;
    } else {
      std::istringstream bytes(line);
      for (unsigned value = 0; bytes >> std::hex >> value;) {
        part->push_back(static_cast<std::byte>(value));
      }
    }
  }
  return vector;
}

inline std::vector<std::string> vector_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".txt" && entry.path().stem() != "CMakeLists") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace rtecho::test

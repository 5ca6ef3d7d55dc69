// A campaign as its TOML file says it (docs/campaigns.md). Parsing only: whether programs, files and the link exist
// is found out by the one who runs it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rt_core/run_plan.hpp"
#include "rtecho_host/link_options.hpp"

namespace rtecho::host {

// One way of running the pair.
struct Variant {
  std::string name;     // in file names, and the label of its run files
  std::string program;  // rtecho or rtecho-gpos
  std::vector<std::string> server_options;
  std::vector<std::string> client_options;
};

// The judgement at the end: the run files of one variant against a bounds file.
struct BoundsCheck {
  std::string file;  // as written: relative to the folder of the campaign file
  std::string variant;
  std::optional<std::string> baseline;  // another variant
};

struct Campaign {
  bool makes_link = true;
  LinkOptions link;
  std::vector<Variant> variants;
  std::vector<Protocol> protocols;
  std::vector<std::uint32_t> sizes;  // empty: the published sizes of each protocol (--sizes rtx)
  std::uint64_t count = 0;           // messages per size
  std::uint32_t repetitions = 0;
  bool has_load = false;                            // `default`, MEASUREMENT's background load
  std::optional<std::chrono::seconds> run_limit;    // instead of the one that count and sizes give
  bool compares = false;                            // [compare] is there
  std::optional<std::string> comparison_reference;  // compare --reference
  std::optional<BoundsCheck> bounds;
};

// `file` is the name for error messages. Throws ProgramFailure (usage), "FILE:LINE: sentence".
[[nodiscard]] Campaign parse_campaign(const std::string& text, const std::string& file);

}  // namespace rtecho::host

// What the platform found out about the machine, in the words of the run file. An absent fact has no key.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "platform/bootstrap.hpp"
#include "platform/host_facts.hpp"
#include "platform/nic_facts.hpp"
#include "platform/window_counters.hpp"
#include "report/run_file.hpp"
#include "rt_core/gap_watch.hpp"
#include "rt_core/message_port.hpp"

namespace rtecho::pair {

[[nodiscard]] nlohmann::json to_json(const platform::HostFacts& facts);
[[nodiscard]] nlohmann::json to_json(const platform::NicFacts& facts);
[[nodiscard]] nlohmann::json to_json(const platform::ThreadGrant& grant);
[[nodiscard]] nlohmann::json to_json(const PortCounters& counters);

// The machine of this end, and the interface that holds `local_address`.
[[nodiscard]] nlohmann::json machine_facts(std::optional<int> cpu, const std::string& local_address);

// A reason for each counter that is absent goes to `notes` under its name.
[[nodiscard]] report::WindowRecord window_record(const platform::WindowSample& sum, const GapWatch& gaps,
                                                 report::Notes& notes, const std::string& path);

}  // namespace rtecho::pair

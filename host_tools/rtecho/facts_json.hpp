// What the platform found out about the machine, in the words of the run file. An absent fact has no key.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "link_options.hpp"
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

// The machine of this end, and this interface of it.
[[nodiscard]] nlohmann::json machine_facts(std::optional<int> cpu, const std::optional<std::string>& interface);
// The interface that the data goes through: the frame driver's, or the one that holds this end's address.
[[nodiscard]] std::optional<std::string> data_interface(const LinkOptions& link, const std::string& local_address);

// A reason for each counter that is absent goes to `notes` under its name.
[[nodiscard]] report::WindowRecord window_record(const platform::WindowSample& sum, const GapWatch& gaps,
                                                 report::Notes& notes, const std::string& path);

}  // namespace rtecho::pair

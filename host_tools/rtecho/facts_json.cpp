#include "facts_json.hpp"

#include <algorithm>

#include "platform/allocation_guard.hpp"

namespace rtecho::pair {

namespace {

using nlohmann::json;

template <typename T>
void put(json& object, const char* key, const std::optional<T>& value) {
  if (value) {
    object[key] = *value;
  }
}

std::optional<std::uint64_t> reading(const platform::CounterReading& counter, const char* name, report::Notes& notes,
                                     const std::string& path) {
  if (counter.present()) {
    return counter.value();
  }
  notes[path + "." + name] = counter.absent_reason();
  return std::nullopt;
}

}  // namespace

json to_json(const platform::HostFacts& facts) {
  json object = json::object();
  put(object, "kernel_release", facts.kernel_release);
  put(object, "kernel_version", facts.kernel_version);
  put(object, "command_line", facts.command_line);
  put(object, "preemption_model", facts.preemption_model);
  put(object, "cpu_model", facts.cpu_model);
  put(object, "cpus_online", facts.cpus_online);
  put(object, "governor", facts.governor);
  put(object, "isolated_cpus", facts.isolated_cpus);
  put(object, "nohz_full_cpus", facts.nohz_full_cpus);
  put(object, "rt_runtime_us", facts.rt_runtime_us);
  put(object, "rt_period_us", facts.rt_period_us);
  put(object, "fair_server_runtime_ns", facts.fair_server_runtime_ns);
  put(object, "clocksource", facts.clocksource);
  put(object, "transparent_huge_pages", facts.transparent_huge_pages);
  put(object, "hypervisor_present", facts.hypervisor_present);
  put(object, "smt_active", facts.smt_active);
  return object;
}

json to_json(const platform::NicFacts& facts) {
  json object{{"name", facts.name}, {"mtu", facts.mtu}, {"mac", facts.mac}};
  put(object, "driver", facts.driver);
  put(object, "speed_mbps", facts.speed_mbps);
  put(object, "irq_cpus", facts.irq_cpus);
  if (facts.coalescing) {
    object["coalescing"] = json{{"rx_usecs", facts.coalescing->rx_usecs},
                                {"rx_frames", facts.coalescing->rx_frames},
                                {"adaptive_rx", facts.coalescing->adaptive_rx}};
  }
  json offloads = json::object();
  put(offloads, "tcp_segmentation", facts.offloads.tcp_segmentation);
  put(offloads, "generic_segmentation", facts.offloads.generic_segmentation);
  put(offloads, "generic_receive", facts.offloads.generic_receive);
  put(offloads, "large_receive", facts.offloads.large_receive);
  put(offloads, "rx_checksum", facts.offloads.rx_checksum);
  put(offloads, "tx_checksum", facts.offloads.tx_checksum);
  object["offloads"] = offloads;
  return object;
}

json to_json(const platform::ThreadGrant& grant) {
  return json{{"policy", grant.policy},
              {"priority", grant.priority},
              {"cpus", grant.cpus},
              {"memory_locked", grant.memory_locked},
              {"locked_bytes", grant.locked_bytes}};
}

json to_json(const PortCounters& counters) {
  return json{{"truncated", counters.truncated},
              {"peer_unreachable", counters.peer_unreachable},
              {"send_would_block", counters.send_would_block},
              {"send_no_buffer", counters.send_no_buffer},
              {"send_failed", counters.send_failed},
              {"receive_failed", counters.receive_failed},
              {"partial_sends", counters.partial_sends},
              {"partial_receives", counters.partial_receives},
              {"receive_overruns", counters.receive_overruns},
              {"link_down", counters.link_down},
              {"foreign_frames", counters.foreign_frames},
              {"malformed_frames", counters.malformed_frames},
              {"checksum_wrong", counters.checksum_wrong},
              {"checksum_partial", counters.checksum_partial},
              {"requests_answered", counters.requests_answered}};
}

json machine_facts(std::optional<int> cpu, const std::optional<std::string>& interface) {
  json object = to_json(platform::read_host_facts(cpu));
  if (interface) {
    const auto nic = platform::read_nic_facts(*interface);
    if (nic) {
      object["nic"] = to_json(nic.value());
    }
  }
  return object;
}

std::optional<std::string> data_interface(const LinkOptions& link, const std::string& local_address) {
  return link.moves_frames() ? std::optional(link.interface) : platform::interface_towards(local_address);
}

report::WindowRecord window_record(const platform::WindowSample& sum, const GapWatch& gaps, report::Notes& notes,
                                   const std::string& path) {
  report::WindowRecord record;
  if (platform::allocation_guard::available()) {
    record.heap_allocations = reading(sum.heap_allocations, "heap_allocations", notes, path);
  } else {
    notes[path + ".heap_allocations"] = "this program is built without the allocation guard";
  }
  record.minor_faults = reading(sum.minor_faults, "minor_faults", notes, path);
  record.major_faults = reading(sum.major_faults, "major_faults", notes, path);
  record.voluntary_switches = reading(sum.voluntary_switches, "voluntary_switches", notes, path);
  record.involuntary_switches = reading(sum.involuntary_switches, "involuntary_switches", notes, path);
  record.migrations = reading(sum.migrations, "migrations", notes, path);
  record.interrupts = reading(sum.interrupts, "interrupts", notes, path);
  if (const auto steal = reading(sum.steal_ns, "steal_ns", notes, path)) {
    record.steal_ns = static_cast<std::int64_t>(*steal);
  }
  record.gap_count = gaps.count();
  if (gaps.count() > 0) {
    record.longest_gap_ns = gaps.maximum().ns();
  } else {
    notes[path + ".longest_gap_ns"] = "no gap reached the threshold of 50 us";
  }
  for (const Gap& gap : gaps.kept().entries()) {
    record.gaps.push_back(report::GapRecord{gap.at.ns(), gap.length.ns()});
  }
  std::sort(record.gaps.begin(), record.gaps.end(), [](const auto& a, const auto& b) { return a.at_ns < b.at_ns; });
  return record;
}

}  // namespace rtecho::pair

// What the machine says about itself and what moves the worst case on it, for the head of a run file. A fact that
// cannot be read is absent; nothing is guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rtecho::platform {

struct HostFacts {
  std::optional<std::string> kernel_release;
  std::optional<std::string> kernel_version;
  std::optional<std::string> command_line;      // of the kernel
  std::optional<std::string> preemption_model;  // "rt", "full", "lazy", "voluntary", "none", "none or voluntary"
  std::optional<std::string> cpu_model;
  std::optional<int> cpus_online;
  std::optional<std::string> governor;       // of the given core
  std::optional<std::string> isolated_cpus;  // empty text: none is isolated
  std::optional<std::string> nohz_full_cpus;
  std::optional<std::int64_t> rt_runtime_us;  // -1: no real-time throttling
  std::optional<std::int64_t> rt_period_us;
  std::optional<std::int64_t> fair_server_runtime_ns;  // of the given core
  std::optional<std::string> clocksource;
  std::optional<std::string> transparent_huge_pages;  // "always", "madvise", "never"
  std::optional<bool> hypervisor_present;
  std::optional<bool> smt_active;
};

// `cpu` is the core of the measuring thread. `root` stands before every path that is read, so that a test can give
// a tree of its own.
[[nodiscard]] HostFacts read_host_facts(std::optional<int> cpu, const std::string& root = "/");

}  // namespace rtecho::platform

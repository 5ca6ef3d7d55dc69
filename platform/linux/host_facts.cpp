#include "platform/host_facts.hpp"

#include "file_text.hpp"

namespace rtecho::platform {

namespace {

// The word in brackets of "always [madvise] never", or of "none voluntary (full) lazy".
std::optional<std::string> chosen_word(const std::optional<std::string>& text, char open, char close) {
  if (!text) {
    return std::nullopt;
  }
  const std::size_t begin = text->find(open);
  const std::size_t end = text->find(close, begin == std::string::npos ? 0 : begin);
  if (begin == std::string::npos || end == std::string::npos) {
    return std::nullopt;
  }
  return text->substr(begin + 1, end - begin - 1);
}

std::optional<std::string> read_preemption_model(const std::string& root, const HostFacts& facts) {
  const std::string version = facts.kernel_version.value_or("");
  if (read_file_number(root + "sys/kernel/realtime") == 1 || version.find("PREEMPT_RT") != std::string::npos) {
    return "rt";
  }
  auto chosen = chosen_word(read_file_text(root + "sys/kernel/debug/sched/preempt"), '(', ')');
  if (chosen) {
    return chosen;
  }
  // PREEMPT_DYNAMIC without debugfs: the boot parameter tells where it was given, else the build's default is
  // not to be seen.
  const std::string command_line = " " + facts.command_line.value_or("");
  const std::size_t parameter = command_line.rfind(" preempt=");
  if (parameter != std::string::npos) {
    std::string_view value = std::string_view(command_line).substr(parameter + 9);
    return std::string(take_until(value, ' '));
  }
  if (!facts.kernel_version || version.find("PREEMPT_DYNAMIC") != std::string::npos) {
    return std::nullopt;
  }
  return version.find("PREEMPT") != std::string::npos ? "full" : "none or voluntary";
}

// The number of cores in a list such as "0-3,6".
std::optional<int> count_cpus(const std::optional<std::string>& list) {
  if (!list) {
    return std::nullopt;
  }
  int count = 0;
  for (std::string_view rest = *list; !rest.empty();) {
    std::string_view last_text = take_until(rest, ',');
    const auto first = leading_number<int>(take_until(last_text, '-'));
    const auto last = last_text.empty() ? first : leading_number<int>(last_text);
    if (!first || !last) {
      return std::nullopt;
    }
    count += *last - *first + 1;
  }
  return count;
}

// The kernel writes "(null)" where no mask was ever made.
std::optional<std::string> read_cpu_list(const std::string& path) {
  auto list = read_file_text(path);
  return list == "(null)" ? "" : list;
}

void read_cpu_information(const std::string& root, HostFacts& facts) {
  const std::string text = read_file_text(root + "proc/cpuinfo").value_or("");
  const auto model = line_value(text, "model name");
  if (model) {
    facts.cpu_model = std::string(*model);
  }
  // The bit is x86's; other architectures have no such line and the fact stays absent.
  const auto flags = line_value(text, "flags");
  if (flags) {
    facts.hypervisor_present = (std::string(*flags) + " ").find(" hypervisor ") != std::string::npos;
  }
}

}  // namespace

HostFacts read_host_facts(std::optional<int> cpu, const std::string& root_folder) {
  const std::string root = root_folder.ends_with('/') ? root_folder : root_folder + "/";
  HostFacts facts;
  facts.kernel_release = read_file_text(root + "proc/sys/kernel/osrelease");
  facts.kernel_version = read_file_text(root + "proc/sys/kernel/version");
  facts.command_line = read_file_text(root + "proc/cmdline");
  facts.preemption_model = read_preemption_model(root, facts);
  read_cpu_information(root, facts);

  const std::string cpus = root + "sys/devices/system/cpu/";
  facts.cpus_online = count_cpus(read_file_text(cpus + "online"));
  facts.isolated_cpus = read_cpu_list(cpus + "isolated");
  facts.nohz_full_cpus = read_cpu_list(cpus + "nohz_full");
  const auto smt = read_file_number(cpus + "smt/active");
  if (smt) {
    facts.smt_active = *smt != 0;
  }

  facts.rt_runtime_us = read_file_number(root + "proc/sys/kernel/sched_rt_runtime_us");
  facts.rt_period_us = read_file_number(root + "proc/sys/kernel/sched_rt_period_us");
  facts.clocksource = read_file_text(root + "sys/devices/system/clocksource/clocksource0/current_clocksource");
  facts.transparent_huge_pages =
      chosen_word(read_file_text(root + "sys/kernel/mm/transparent_hugepage/enabled"), '[', ']');
  if (cpu) {
    const std::string name = "cpu" + std::to_string(*cpu);
    facts.governor = read_file_text(cpus + name + "/cpufreq/scaling_governor");
    facts.fair_server_runtime_ns = read_file_number(root + "sys/kernel/debug/sched/fair_server/" + name + "/runtime");
  }
  return facts;
}

}  // namespace rtecho::platform

#include "platform/window_counters.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>

#include "file_text.hpp"
#include "platform/allocation_guard.hpp"

namespace rtecho::platform {

namespace {

constexpr const char* not_in_light = "not read by a light sample";
constexpr const char* not_pinned = "the thread is not pinned to a core";
constexpr const char* no_guard = "heap calls are not wrapped in this program";
constexpr const char* no_scheduling_file =
    "the kernel has no nr_migrations in /proc/thread-self/sched (CONFIG_SCHED_DEBUG)";
constexpr const char* no_interrupts_file = "/proc/interrupts cannot be read";
constexpr const char* no_interrupts_column = "/proc/interrupts has no column for this core";
constexpr const char* no_steal_field = "/proc/stat has no steal time for this core";

constexpr std::size_t buffer_bytes_min = std::size_t{64} * 1024;

// Reads from the start until the file or the buffer ends. Files of /proc come in pieces of about a page.
std::string_view read_from_start(const Descriptor& file, std::span<char> buffer) noexcept {
  std::size_t filled = 0;
  while (file.is_open() && filled < buffer.size()) {
    const ssize_t got =
        pread(file.number(), buffer.data() + filled, buffer.size() - filled, static_cast<off_t>(filled));
    if (got <= 0) {
      break;
    }
    filled += static_cast<std::size_t>(got);
  }
  return {buffer.data(), filled};
}

// Takes one blank-separated word off the front of `line`; empty at its end.
std::string_view take_word(std::string_view& line) noexcept {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return take_until(line, ' ');
}

// "cpu12" without an allocation.
struct CpuName {
  explicit CpuName(int cpu) noexcept {
    length = static_cast<std::size_t>(std::to_chars(text.data() + 3, text.data() + text.size(), cpu).ptr - text.data());
  }
  [[nodiscard]] std::string_view lower() const noexcept { return {text.data(), length}; }
  // The part after "cpu".
  [[nodiscard]] std::string_view digits() const noexcept { return lower().substr(3); }

  std::array<char, 16> text{'c', 'p', 'u'};
  std::size_t length = 0;
};

struct Column {
  std::size_t index = 0;
  std::size_t count = 0;  // of all columns
};

// The heading has one word for each core that is online: "CPU0 CPU1 …".
std::optional<Column> find_column(std::string_view heading, std::string_view cpu_digits) noexcept {
  std::optional<Column> found;
  std::size_t count = 0;
  for (std::string_view word = take_word(heading); !word.empty(); word = take_word(heading)) {
    if (word.starts_with("CPU") && word.substr(3) == cpu_digits) {
      found = Column{.index = count};
    }
    ++count;
  }
  if (found) {
    found->count = count;
  }
  return found;
}

// The number of one row in the column; 0 for a row that does not count per core (ERR, MIS: one number in all).
std::uint64_t row_value(std::string_view row, Column column) noexcept {
  const std::string_view label = trimmed(take_until(row, ':'));
  if (label == "ERR" || label == "MIS" || label == "Err") {
    return 0;
  }
  std::uint64_t wanted = 0;
  for (std::size_t i = 0; i < column.count; ++i) {
    const auto value = leading_number<std::uint64_t>(take_word(row));
    if (!value) {
      return 0;
    }
    wanted = i == column.index ? *value : wanted;
  }
  return wanted;
}

}  // namespace

WindowSample operator-(const WindowSample& later, const WindowSample& earlier) noexcept {
  return {.heap_allocations = later.heap_allocations - earlier.heap_allocations,
          .minor_faults = later.minor_faults - earlier.minor_faults,
          .major_faults = later.major_faults - earlier.major_faults,
          .voluntary_switches = later.voluntary_switches - earlier.voluntary_switches,
          .involuntary_switches = later.involuntary_switches - earlier.involuntary_switches,
          .migrations = later.migrations - earlier.migrations,
          .interrupts = later.interrupts - earlier.interrupts,
          .steal_ns = later.steal_ns - earlier.steal_ns};
}

WindowSample& operator+=(WindowSample& sum, const WindowSample& window) noexcept {
  sum = {.heap_allocations = sum.heap_allocations + window.heap_allocations,
         .minor_faults = sum.minor_faults + window.minor_faults,
         .major_faults = sum.major_faults + window.major_faults,
         .voluntary_switches = sum.voluntary_switches + window.voluntary_switches,
         .involuntary_switches = sum.involuntary_switches + window.involuntary_switches,
         .migrations = sum.migrations + window.migrations,
         .interrupts = sum.interrupts + window.interrupts,
         .steal_ns = sum.steal_ns + window.steal_ns};
  return sum;
}

WindowCounters WindowCounters::open(std::optional<int> cpu, const std::string& root_folder) {
  const std::string root = root_folder.ends_with('/') ? root_folder : root_folder + "/";
  WindowCounters counters;
  counters.cpu_ = cpu;
  counters.tick_ns_ = 1'000'000'000 / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  counters.scheduling_ = Descriptor(::open((root + "proc/thread-self/sched").c_str(), O_RDONLY | O_CLOEXEC));
  if (cpu) {
    counters.interrupts_ = Descriptor(::open((root + "proc/interrupts").c_str(), O_RDONLY | O_CLOEXEC));
    counters.statistics_ = Descriptor(::open((root + "proc/stat").c_str(), O_RDONLY | O_CLOEXEC));
  }
  // Twice the largest file as it is now: interrupts come with devices, and a file that fills the buffer is absent.
  const std::size_t largest = read_file_text(root + "proc/interrupts").value_or("").size();
  counters.buffer_.resize(std::max(2 * largest, buffer_bytes_min));
  return counters;
}

WindowSample WindowCounters::sample_light() const noexcept {
  rusage usage{};
  // Cannot fail with these arguments (getrusage(2)).
  getrusage(RUSAGE_THREAD, &usage);
  const auto reading = [](long value) { return CounterReading(static_cast<std::uint64_t>(value)); };
  return {.heap_allocations = allocation_guard::available() ? CounterReading(allocation_guard::count())
                                                            : CounterReading::absent(no_guard),
          .minor_faults = reading(usage.ru_minflt),
          .major_faults = reading(usage.ru_majflt),
          .voluntary_switches = reading(usage.ru_nvcsw),
          .involuntary_switches = reading(usage.ru_nivcsw),
          .migrations = CounterReading::absent(not_in_light),
          .interrupts = CounterReading::absent(not_in_light),
          .steal_ns = CounterReading::absent(not_in_light)};
}

WindowSample WindowCounters::sample_full() noexcept {
  WindowSample sample = sample_light();
  sample.migrations = read_migrations();
  sample.interrupts = cpu_ ? read_interrupts() : CounterReading::absent(not_pinned);
  sample.steal_ns = cpu_ ? read_steal() : CounterReading::absent(not_pinned);
  return sample;
}

CounterReading WindowCounters::read_migrations() noexcept {
  const std::string_view text = read_from_start(scheduling_, buffer_);
  const auto value = line_value(text, "se.nr_migrations");
  const auto migrations = value ? leading_number<std::uint64_t>(*value) : std::nullopt;
  return migrations ? CounterReading(*migrations) : CounterReading::absent(no_scheduling_file);
}

CounterReading WindowCounters::read_interrupts() noexcept {
  std::string_view text = read_from_start(interrupts_, buffer_);
  if (text.empty() || text.size() == buffer_.size()) {
    return CounterReading::absent(no_interrupts_file);
  }
  const std::optional<Column> column = find_column(take_until(text, '\n'), CpuName(*cpu_).digits());
  if (!column) {
    return CounterReading::absent(no_interrupts_column);
  }
  std::uint64_t sum = 0;
  while (!text.empty()) {
    sum += row_value(take_until(text, '\n'), *column);
  }
  return CounterReading(sum);
}

CounterReading WindowCounters::read_steal() noexcept {
  // proc(5): cpuN user nice system idle iowait irq softirq steal …, in ticks.
  constexpr int words_before_steal = 7;
  std::string_view text = read_from_start(statistics_, buffer_);
  const CpuName name(*cpu_);
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    if (take_word(line) != name.lower()) {
      continue;
    }
    for (int i = 0; i < words_before_steal; ++i) {
      static_cast<void>(take_word(line));
    }
    const auto ticks = leading_number<std::uint64_t>(take_word(line));
    return ticks ? CounterReading(*ticks * tick_ns_) : CounterReading::absent(no_steal_field);
  }
  return CounterReading::absent(no_steal_field);
}

}  // namespace rtecho::platform

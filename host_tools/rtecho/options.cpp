#include "options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "libpcap.hpp"
#include "link_command_line.hpp"
#include "quantities.hpp"
#include "version.hpp"

namespace rtecho::pair {

namespace {

using report::ExitCode;

// Options that are text on the command line and become something else after it is read.
struct ClientTexts {
  std::string protocol = "udp";
  std::string sizes = "64";
  std::string run_for;
  std::string missed = "late";
  std::optional<double> rate_hz;
  std::optional<double> interval_us;
  std::optional<std::uint32_t> window;
  double rest_ms = 5;
  double timeout_ms = 100;
  double wait_for_server_s = 0;
};

struct ServerTexts {
  std::string protocol = "eth";
  std::string run_for;
};

struct ThreadTexts {
  std::string policy = "fifo";
  std::string wait;
  std::optional<int> cpu;
  bool no_memory_lock = false;
};

// An hour, and a nanosecond: what the plan takes.
constexpr double rate_hz_min = 1.0 / 3600;
constexpr double rate_hz_max = 1e9;
constexpr double interval_us_min = 0.001;
constexpr double interval_us_max = 3.6e9;
constexpr double rest_ms_max = 60'000;

// A count as CLI11 reads it into an unsigned number would turn -1 into the largest one.
const CLI::Validator not_negative(
    [](std::string& text) { return text.find('-') == std::string::npos ? std::string() : text + " is below 0"; },
    "0 or more", "zero or more");

// CLI11's own names the largest double in its error.
const CLI::Validator above_zero(
    [](std::string& text) {
      double value = 0;
      return CLI::detail::lexical_cast(text, value) && value > 0 ? std::string() : text + " is not above 0";
    },
    "above 0", "above zero");

// CLI11's own lets NaN pass.
CLI::Validator between(double lowest, double highest) {
  return CLI::Validator(
      [lowest, highest](std::string& text) {
        double value = 0;
        const bool good = CLI::detail::lexical_cast(text, value) && value >= lowest && value <= highest;
        return good ? std::string() : fmt::format("{} is not a number from {} to {}", text, lowest, highest);
      },
      fmt::format("{} to {}", lowest, highest));
}

CLI::Validator one_of(std::vector<std::string> names) {
  return CLI::IsMember(std::move(names));
}

void add_thread_options(CLI::App& app, ThreadTexts& texts, ThreadOptions& options) {
  texts.wait = platform::build_is_realtime() ? "spin" : "block";
  app.add_option("--wait", texts.wait, "how the measuring thread waits: spin or block")
      ->check(one_of({"spin", "block"}))
      ->capture_default_str();
  if (!platform::build_is_realtime()) {
    return;  // the normal build knows no priority, pinning or locking
  }
  app.add_option("--cpu", texts.cpu, "core of the measuring thread [unpinned]")->check(CLI::NonNegativeNumber);
  app.add_option("--priority", options.plan.priority, "of SCHED_FIFO, 1 to 98")
      ->check(CLI::Range(1, 98))
      ->capture_default_str();
  app.add_option("--policy", texts.policy, "scheduling policy: fifo or other")
      ->check(one_of({"fifo", "other"}))
      ->capture_default_str();
  app.add_flag("--no-memory-lock", texts.no_memory_lock, "do not lock the process's memory");
  app.add_flag("--strict", options.strict, "refuse what cannot be granted; exit 1 on a broken promise of determinism");
}

void finish_thread_options(const ThreadTexts& texts, ThreadOptions& options) {
  options.wait = *parse_wait(texts.wait);
  if (!platform::build_is_realtime()) {
    options.plan.policy = platform::SchedulingPolicy::other;
    options.plan.lock_memory = false;
    return;
  }
  options.plan.policy = texts.policy == "fifo" ? platform::SchedulingPolicy::fifo : platform::SchedulingPolicy::other;
  options.plan.cpu = texts.cpu;
  options.plan.lock_memory = !texts.no_memory_lock;
}

void add_server_options(CLI::App& app, ServerOptions& options, ServerTexts& texts) {
  app.add_option("--bind", options.bind, "address for control and data, IPv4 or IPv6")->capture_default_str();
  app.add_option("--port", options.control_port, "TCP port of the control channel")->capture_default_str();
  app.add_option("--data-port", options.data_port, "port of the data path [any free one]");
  app.add_option("--netns", options.network_namespace, "network namespace to enter before anything else");
  app.add_option("--allow", options.allowed, "data address that a client may name besides its own; repeatable");
  app.add_option("--key-file", options.key_file, "serve only clients that hold the same key");
  app.add_option("--report", options.report_path, "run file of the server's half, rewritten after each series");
  app.add_option("--for", texts.run_for, "stop after this time, for example 60s [never]");
  app.add_option("--protocol", texts.protocol, "of a server without control: eth")
      ->check(one_of({"eth"}))
      ->capture_default_str();
  app.add_option("--message-bytes", options.uncontrolled.message_bytes, "message size of a server without control")
      ->check(CLI::Range(1U, message_bytes_max(Protocol::eth)))
      ->capture_default_str();
  if (libpcap::is_present()) {
    app.add_flag("--list-interfaces", options.list_interfaces, "print the interfaces that --iface can name, and end");
  }
  app.add_option("--ready-fd", options.ready_descriptor, "write a line to this descriptor when listening")
      ->check(CLI::NonNegativeNumber);
}

void add_pacing_options(CLI::App& app, ClientOptions& options, ClientTexts& texts) {
  auto* rate = app.add_option("--rate", texts.rate_hz, "messages (with --burst: bursts) per second [ping-pong]")
                   ->check(between(rate_hz_min, rate_hz_max));
  app.add_option("--interval", texts.interval_us, "the same as a spacing, in us [ping-pong]")
      ->check(between(interval_us_min, interval_us_max))
      ->excludes(rate);
  app.add_option("--burst", options.plan.pacing.burst, "messages sent at the same instant")
      ->check(above_zero)
      ->capture_default_str();
  app.add_option("--window", texts.window, "most messages outstanding [1; 64 with --rate, --interval, or the burst]")
      ->check(above_zero);
  app.add_option("--missed", texts.missed, "a slot that has passed: send it late, or skip and count it")
      ->check(one_of({"late", "skip"}))
      ->capture_default_str();
}

void add_load_options(CLI::App& app, ClientOptions& options, ClientTexts& texts) {
  app.add_option("--protocol", texts.protocol, "udp, tcp, or eth (raw Ethernet, EtherType 0x88B5; frame drivers only)")
      ->check(one_of({"udp", "tcp", "eth"}))
      ->capture_default_str();
  app.add_option("--sizes", texts.sizes, "message bytes, a list like 64,1024, or rtx for the published sizes")
      ->capture_default_str();
  auto* count = app.add_option("--count", options.plan.count, "recorded messages per size")
                    ->check(above_zero)
                    ->capture_default_str();
  app.add_option("--for", texts.run_for, "time per size instead of a count, for example 60s")->excludes(count);
  app.add_option("--batch", options.plan.batch.messages, "messages per batch; 0: no rests, for isolated cores")
      ->check(not_negative)
      ->capture_default_str();
  app.add_option("--rest-ms", texts.rest_ms, "rest after a batch, in ms; at least 10 % of the batch, and 2 ms more")
      ->check(between(0.0, rest_ms_max))
      ->capture_default_str();
  app.add_option("--resume", options.plan.batch.resume, "first messages after a rest, kept in a group of their own")
      ->check(not_negative)
      ->capture_default_str();
  app.add_option("--warmup", options.plan.warmup, "messages per size that are counted but not recorded")
      ->check(not_negative)
      ->capture_default_str();
  app.add_flag("--warmup-on-schedule", options.plan.warmup_on_schedule, "pace the warm-up too");
  app.add_option("--timeout-ms", texts.timeout_ms, "time for an answer, in ms; later ones count as late")
      ->check(between(0.001, 100'000.0))
      ->capture_default_str();
  app.add_option("--allowed-loss", options.allowed_loss, "lost messages per size that still exit 0")
      ->check(not_negative)
      ->capture_default_str();
}

void add_client_options(CLI::App& app, ClientOptions& options, ClientTexts& texts) {
  app.add_option("server", options.server, "ADDRESS[:PORT] of the server's control channel; [IPv6]:PORT");
  app.add_option("--netns", options.network_namespace, "network namespace to enter before anything else");
  add_load_options(app, options, texts);
  add_pacing_options(app, options, texts);
  app.add_option("--data-address", options.data_address, "where the server shall send, if it allows it [here]");
  app.add_option("--wait-for-server", texts.wait_for_server_s, "seconds to wait for an absent or busy server")
      ->check(between(0.0, 86'400.0))
      ->capture_default_str();
  app.add_option("--key-file", options.key_file, "key shared with the server");
  app.add_option("--label", options.label, "name of this run in comparisons");
  app.add_option("--out", options.out_path, "run file to write; - for standard output");
  app.add_option("--samples", options.samples_path, "every answered message as a line of CSV");
}

Duration from_ms(double ms) {
  return Duration::from_ns(static_cast<std::int64_t>(ms * 1e6));
}

// Throws what CLI11 reports as a usage error.
std::optional<Duration> duration_option(const char* name, const std::string& text) {
  if (text.empty()) {
    return std::nullopt;
  }
  const std::optional<Duration> length = parse_duration(text);
  if (!length) {
    throw CLI::ValidationError(
        fmt::format("{}: '{}' is no length of time; write for example 60s or 500ms", name, text));
  }
  return length;
}

void finish_pacing(const ClientTexts& texts, PacingPlan& pacing) {
  // A rate of whole Hz is kept exactly; other spacings are rounded to the nanosecond.
  if (texts.rate_hz && *texts.rate_hz == static_cast<double>(static_cast<std::int64_t>(*texts.rate_hz))) {
    pacing.numerator_ns = 1'000'000'000;
    pacing.denominator = static_cast<std::int64_t>(*texts.rate_hz);
  } else if (texts.rate_hz) {
    pacing.numerator_ns = static_cast<std::int64_t>(1e9 / *texts.rate_hz);
  } else if (texts.interval_us) {
    pacing.numerator_ns = static_cast<std::int64_t>(*texts.interval_us * 1e3);
    if (pacing.numerator_ns == 0) {
      throw CLI::ValidationError("--interval: less than a nanosecond");
    }
  }
  const std::uint32_t window_default = pacing.scheduled() ? 64 : pacing.burst;
  pacing.window = texts.window.value_or(window_default < pacing.burst ? pacing.burst : window_default);
  pacing.missed = texts.missed == "late" ? MissedPolicy::late : MissedPolicy::skip;
}

std::string sentence_of(PlanFault fault, const ClientPlan& plan, Protocol protocol) {
  switch (fault) {
    case PlanFault::message_bytes:
      return fmt::format("--sizes: {} carries 1 to {} bytes, not {}", name_of(protocol), message_bytes_max(protocol),
                         plan.shape.message_bytes);
    case PlanFault::window:
      return fmt::format("--window: 1 to {}", limits::window_max);
    case PlanFault::window_of_tag:
      return fmt::format("--window: messages of {} bytes carry too few sequence bits for more than {} outstanding",
                         plan.shape.message_bytes, window_max_of(plan.shape.message_bytes));
    case PlanFault::count:
      return "--count or --for: nothing to do";
    case PlanFault::pacing:
      return "--rate or --interval: a spacing of 1 ns to 1 hour";
    case PlanFault::burst:
      return "--burst: not larger than --window";
    case PlanFault::timeout:
      return "--timeout-ms: above 0, up to 100000";
    case PlanFault::rest:
      return "--rest-ms: at least 1, because the server spins 2 ms into a rest; --batch 0 runs without rests";
    case PlanFault::none:
      break;
  }
  return {};
}

// What the protocol asks of the rest.
void check_client_protocol(const ClientOptions& options) {
  if (options.protocol == Protocol::eth && !options.link.moves_frames()) {
    throw CLI::ValidationError("--protocol eth: needs a frame driver (--driver ring --iface IF)");
  }
  if (options.uncontrolled.no_control) {
    if (options.protocol != Protocol::eth) {
      throw CLI::ValidationError("--no-control: only with --protocol eth");
    }
    if (!options.link.peer_mac) {
      throw CLI::ValidationError("--no-control: give the server's station, --peer-mac");
    }
    if (options.sizes.size() != 1) {
      throw CLI::ValidationError("--no-control: one size, the server's --message-bytes");
    }
    if (!options.server.empty()) {
      throw CLI::ValidationError("--no-control: there is no server address to connect to");
    }
  } else if (options.server.empty()) {
    throw CLI::ValidationError("server is required: ADDRESS[:PORT] of its control channel");
  }
}

void finish_server_options(const ServerTexts& texts, ServerOptions& options) {
  options.run_for = duration_option("--for", texts.run_for);
  if (options.uncontrolled.no_control && texts.protocol != "eth") {
    throw CLI::ValidationError("--no-control: only with --protocol eth");
  }
}

void finish_client_options(const ClientTexts& texts, ClientOptions& options) {
  options.protocol = *parse_protocol(texts.protocol);
  const auto sizes = parse_sizes(texts.sizes, options.protocol);
  if (!sizes) {
    throw CLI::ValidationError(
        fmt::format("--sizes: '{}' is no list of message sizes; write for example 64,1024 (1 to {}), or rtx",
                    texts.sizes, message_bytes_max(options.protocol)));
  }
  options.sizes = *sizes;
  check_client_protocol(options);
  options.plan.run_for = duration_option("--for", texts.run_for).value_or(Duration{});
  options.plan.batch.rest = from_ms(texts.rest_ms);
  options.plan.timeout = from_ms(texts.timeout_ms);
  options.wait_for_server = from_ms(texts.wait_for_server_s * 1e3);
  finish_pacing(texts, options.plan.pacing);
  options.plan.wait = WaitPlan{options.thread.wait, WaitPlan::idle_limit_for(options.plan.pacing.spacing())};
  options.plan.log_samples = !options.samples_path.empty();
  for (const std::uint32_t size : options.sizes) {
    ClientPlan plan = options.plan;
    plan.shape.message_bytes = size;
    const PlanFault fault = validate(plan, options.protocol);
    if (fault != PlanFault::none) {
      throw CLI::ValidationError(sentence_of(fault, plan, options.protocol));
    }
  }
  if (options.label.empty()) {
    options.label = platform::build_kind();
  }
}

}  // namespace

Command parse_command_line(int argument_count, const char* const* arguments) {
  ServerOptions server;
  ClientOptions client;
  ServerTexts server_texts;
  ClientTexts client_texts;
  ThreadTexts server_thread;
  ThreadTexts client_thread;
  LinkTexts server_link;
  LinkTexts client_link;

  CLI::App app(fmt::format("{}: how late can a message be, at worst, on this machine and this link? ({} build)",
                           program_name(), platform::build_kind()));
  app.set_version_flag("--version", fmt::format("{} {}", program_name(), program_version()));
  app.require_subcommand(1);
  CLI::App* server_command = app.add_subcommand("server", "answer one client at a time, until stopped");
  CLI::App* client_command = app.add_subcommand("client", "measure round trips to a server");
  add_server_options(*server_command, server, server_texts);
  add_link_options(*server_command, server.link, server.uncontrolled, server_link);
  add_thread_options(*server_command, server_thread, server.thread);
  add_client_options(*client_command, client, client_texts);
  add_link_options(*client_command, client.link, client.uncontrolled, client_link);
  add_thread_options(*client_command, client_thread, client.thread);
  const std::string exit_codes = fmt::format(
      "Exit codes: 0 clean; 1 loss or corruption{}; 2 usage; 3 the machine refused; 4 degraded;\n"
      "5 peer absent, busy, of another version or lost; 130 interrupted.",
      platform::build_is_realtime() ? ", or a broken promise (--strict)" : "");
  app.footer(exit_codes);
  server_command->footer(exit_codes);
  client_command->footer(exit_codes);

  try {
    app.parse(argument_count, arguments);
    if (*server_command) {
      finish_thread_options(server_thread, server.thread);
      finish_link_options(server_link, server.link, server.uncontrolled);
      finish_server_options(server_texts, server);
      return server;
    }
    finish_thread_options(client_thread, client.thread);
    finish_link_options(client_link, client.link, client.uncontrolled);
    finish_client_options(client_texts, client);
    return client;
  } catch (const CLI::Success& success) {  // --help, --version
    app.exit(success);
    return ExitCode::clean;
  } catch (const CLI::Error& error) {
    const std::string command = *server_command ? " server" : *client_command ? " client" : "";
    fmt::print(stderr, "{}: {} (see {}{} --help)\n", program_name(), error.what(), program_name(), command);
    return ExitCode::usage;
  }
}

}  // namespace rtecho::pair

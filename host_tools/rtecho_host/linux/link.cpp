#include "rtecho_host/link.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "ip_tool.hpp"
#include "platform/descriptor.hpp"
#include "platform/os_error.hpp"
#include "rt_core/assert.hpp"
#include "rtecho_host/exit_codes.hpp"

namespace rtecho::host {
namespace {

// The marks. A namespace is born with the first and gets the second when the whole link is made, so that a link
// left by a killed `up` can be told from one that works.
constexpr std::string_view mark_unfinished = "rtecho-host link, unfinished";
constexpr std::string_view mark_finished = "rtecho-host link";

constexpr int mtu_min_ipv6 = 1280;  // RFC 8200, section 5: below it the kernel refuses IPv6 on an interface

enum class Owner { nobody, somebody_else, us };

struct EndFacts {
  Owner owner = Owner::nobody;
  bool is_finished = false;
  bool has_interface = false;
  bool is_running = false;
  std::vector<std::string> differences;
};

void require_privilege() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  ::syscall(SYS_capget, &header, sets.data());
  const unsigned wanted = (1U << CAP_NET_ADMIN) | (1U << CAP_SYS_ADMIN);  // both below 32: in the first word
  if ((sets[0].effective & wanted) != wanted) {
    throw ProgramFailure(ExitCode::machine_refused,
                         "link: network namespaces need CAP_NET_ADMIN and CAP_SYS_ADMIN; run it as root");
  }
}

bool carries_ipv6(int mtu) {
  return mtu >= mtu_min_ipv6 && ::access("/proc/net/if_inet6", F_OK) == 0;
}

std::vector<std::string> addresses_of(const LinkEnd& end, int mtu) {
  if (carries_ipv6(mtu)) {
    return {end.address, end.address_ipv6};
  }
  return {end.address};
}

// `interface` is one entry of `ip -json -details address show`; without details it has no alias.
std::vector<std::string> differences_of(const nlohmann::json& interface, const LinkEnd& end, int mtu) {
  std::vector<std::string> differences;
  if (const int mtu_found = interface.value("mtu", 0); mtu_found != mtu) {
    differences.push_back(fmt::format("{} has mtu {}, not {}", end.interface, mtu_found, mtu));
  }
  std::vector<std::string> found;
  for (const nlohmann::json& address : interface.value("addr_info", nlohmann::json::array())) {
    found.push_back(fmt::format("{}/{}", address.value("local", ""), address.value("prefixlen", 0)));
  }
  for (const std::string& address : addresses_of(end, mtu)) {
    if (std::find(found.begin(), found.end(), address) == found.end()) {
      differences.push_back(fmt::format("{} has not the address {}", end.interface, address));
    }
  }
  return differences;
}

EndFacts look_at_end(const LinkEnd& end, int mtu) {
  EndFacts facts;
  if (!std::filesystem::exists("/run/netns/" + end.network_namespace)) {
    return facts;
  }
  facts.owner = Owner::somebody_else;
  const std::string text = run_ip({"-netns", end.network_namespace, "-json", "-details", "address", "show"},
                                  fmt::format("if nobody uses it: ip netns delete {}", end.network_namespace));
  const nlohmann::json interfaces = nlohmann::json::parse(text, nullptr, false);
  if (!interfaces.is_array()) {
    throw ProgramFailure(ExitCode::machine_refused,
                         fmt::format("read namespace {}: ip -json printed no list; iproute2 5 or later is needed",
                                     end.network_namespace));
  }
  for (const nlohmann::json& interface : interfaces) {
    const std::string name = interface.value("ifname", "");
    const std::string alias = interface.value("ifalias", "");
    if (name == "lo" && (alias == mark_finished || alias == mark_unfinished)) {
      facts.owner = Owner::us;
      facts.is_finished = alias == mark_finished;
    } else if (name == end.interface) {
      const auto flags = interface.value("flags", std::vector<std::string>());
      facts.has_interface = true;
      facts.is_running = std::find(flags.begin(), flags.end(), "LOWER_UP") != flags.end();
      facts.differences = differences_of(interface, end, mtu);
    }
  }
  return facts;
}

// Enters a new network namespace, and the former one again when it goes.
class NewNetworkNamespace {
 public:
  NewNetworkNamespace() : former_(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC)) {
    if (!former_.is_open() || ::unshare(CLONE_NEWNET) != 0) {
      throw ProgramFailure(
          ExitCode::machine_refused,
          fmt::format("make a network namespace: {}; CAP_SYS_ADMIN and a kernel with CONFIG_NET_NS are needed",
                      platform::os_error_text(errno)));
    }
  }
  NewNetworkNamespace(const NewNetworkNamespace&) = delete;
  NewNetworkNamespace& operator=(const NewNetworkNamespace&) = delete;
  ~NewNetworkNamespace() {
    // We have just left it with the same privilege; going on in the wrong namespace would touch the wrong links.
    RTECHO_ASSERT(::setns(former_.number(), CLONE_NEWNET) == 0);
  }

 private:
  platform::Descriptor former_;
};

void write_mark(std::vector<std::string> selection, std::string_view mark) {
  for (const std::string_view argument : {"link", "set", "dev", "lo", "alias"}) {
    selection.emplace_back(argument);
  }
  selection.emplace_back(mark);
  run_ip(std::move(selection), "is it a kernel without interface aliases?");
}

// `ip netns add` would give the name first: an `up` killed before the mark would leave a namespace that nobody can
// tell from a foreign one. So the namespace is made and marked without a name, and only then named.
void make_namespace(const std::string& name) {
  const NewNetworkNamespace here;
  write_mark({}, mark_unfinished);
  run_ip({"netns", "attach", name, std::to_string(::getpid())}, "is /run/netns writable?");
}

void configure_end(const LinkEnd& end, int mtu) {
  const auto ip = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"-netns", end.network_namespace});
    run_ip(std::move(arguments), "does the kernel refuse this setting?");
  };
  ip({"link", "set", "dev", "lo", "up"});
  if (carries_ipv6(mtu)) {
    // Without a link-local address the kernel solicits no routers: nothing but the echo is on this link.
    ip({"link", "set", "dev", end.interface, "addrgenmode", "none"});
  }
  for (const std::string& address : addresses_of(end, mtu)) {
    std::vector<std::string> arguments{"address", "add", address, "dev", end.interface};
    if (address == end.address_ipv6) {
      arguments.emplace_back("nodad");  // usable at once, and no probe on the link
    }
    ip(std::move(arguments));
  }
  ip({"link", "set", "dev", end.interface, "up"});
}

void make_link(const LinkOptions& options, const platform::StopFlag& stop) {
  const auto check_stop = [&] {
    if (stop.requested()) {
      throw ProgramFailure(ExitCode::interrupted, "link up: interrupted; the half-made link is removed");
    }
  };
  for (const LinkEnd& end : {options.a, options.b}) {
    check_stop();
    make_namespace(end.network_namespace);
  }
  check_stop();
  const std::string mtu = std::to_string(options.mtu);
  run_ip({"link", "add", "dev", options.a.interface, "netns", options.a.network_namespace, "mtu", mtu,  //
          "type", "veth", "peer", "name", options.b.interface, "netns", options.b.network_namespace, "mtu", mtu},
         "is the veth module missing?");
  for (const LinkEnd& end : {options.a, options.b}) {
    check_stop();
    configure_end(end, options.mtu);
  }
  check_stop();
  for (const LinkEnd& end : {options.a, options.b}) {
    write_mark({"-netns", end.network_namespace}, mark_finished);
  }
}

void remove_ours(const LinkOptions& options) {
  for (const LinkEnd& end : {options.a, options.b}) {
    const EndFacts facts = look_at_end(end, options.mtu);
    if (facts.owner != Owner::us) {
      continue;
    }
    const std::string& name = end.network_namespace;
    if (facts.has_interface) {
      // A process that still lives in the namespace would keep it, and the interfaces with it.
      run_ip({"-netns", name, "link", "delete", "dev", end.interface}, fmt::format("try ip netns delete {}", name));
    }
    run_ip({"netns", "delete", name}, fmt::format("see who uses it: ip netns pids {}", name));
  }
}

[[noreturn]] void refuse_foreign(const LinkReport& report) {
  throw ProgramFailure(ExitCode::machine_refused, fmt::format("link: {}; choose other names, or remove it yourself",
                                                              fmt::join(report.remarks, ", ")));
}

}  // namespace

LinkReport look_at_link(const LinkOptions& options) {
  require_privilege();
  LinkReport foreign{LinkState::foreign, {}};
  LinkReport half{LinkState::half, {}};
  LinkReport up{LinkState::up, {}};
  std::size_t absent = 0;
  for (const LinkEnd& end : {options.a, options.b}) {
    const EndFacts facts = look_at_end(end, options.mtu);
    if (facts.owner == Owner::somebody_else) {
      foreign.remarks.push_back(fmt::format("namespace {} exists and was not made by rtecho-host link",  //
                                            end.network_namespace));
    } else if (facts.owner == Owner::nobody) {
      ++absent;
      half.remarks.push_back(fmt::format("namespace {} is missing", end.network_namespace));
    } else if (!facts.is_finished) {
      half.remarks.push_back(fmt::format("namespace {} was never finished", end.network_namespace));
    } else if (!facts.is_running) {
      half.remarks.push_back(fmt::format("interface {} in {} is missing or not running", end.interface,  //
                                         end.network_namespace));
    }
    up.remarks.insert(up.remarks.end(), facts.differences.begin(), facts.differences.end());
  }
  if (!foreign.remarks.empty()) {
    return foreign;
  }
  if (absent == 2) {
    return {LinkState::down, {}};
  }
  return half.remarks.empty() ? up : half;
}

bool bring_link_up(const LinkOptions& options, const platform::StopFlag& stop) {
  const LinkReport found = look_at_link(options);
  if (found.state == LinkState::foreign) {
    refuse_foreign(found);
  }
  if (found.state == LinkState::up) {
    if (!found.remarks.empty()) {
      throw ProgramFailure(
          ExitCode::machine_refused,
          fmt::format("link up: a link of this name is up, but {}; take it down first: rtecho-host link down",
                      fmt::join(found.remarks, ", ")));
    }
    return false;
  }
  remove_ours(options);
  try {
    make_link(options, stop);
  } catch (...) {
    // Where the undoing fails too, its sentence is the one to read: it names what is left behind.
    remove_ours(options);
    throw;
  }
  return true;
}

bool take_link_down(const LinkOptions& options) {
  const LinkReport found = look_at_link(options);
  if (found.state == LinkState::foreign) {
    refuse_foreign(found);
  }
  remove_ours(options);
  return found.state != LinkState::down;
}

}  // namespace rtecho::host

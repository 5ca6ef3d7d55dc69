// A veth pair between two network namespaces of the test's own, without a name that could be left behind: they vanish
// with the last socket inside. The thread that makes a pair is in the namespace of the near end until the pair is
// destroyed, so one thread has at most one; threads that it starts meanwhile inherit the namespace. Needs root and
// iproute2; where it cannot be made, why_not() says why, and the test is skipped.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "platform/descriptor.hpp"

namespace rtecho::drivers::test {

// Runs `ip` in the calling thread's namespace and waits for it; false when it failed. What it has to say about that
// goes to the test's stderr.
inline bool run_ip(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "ip");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) {
    pointers.push_back(argument.data());
  }
  pointers.push_back(nullptr);
  pid_t child = 0;
  int status = 1;
  return ::posix_spawnp(&child, "ip", nullptr, nullptr, pointers.data(), environ) == 0 &&
         ::waitpid(child, &status, 0) == child && status == 0;
}

struct VethEnd {
  std::string name;
  std::string mac;
  std::string ipv4{};  // "10.0.0.1/24"; none when empty
};

struct VethPlan {
  VethEnd near{.name = "near", .mac = "02:00:00:00:00:0a"};
  VethEnd far{.name = "far", .mac = "02:00:00:00:00:0b"};
  std::uint32_t mtu = 1'500;
};

// The calling thread is in another namespace for as long as the guard lives.
class InsideNamespace {
 public:
  explicit InsideNamespace(const platform::Descriptor& entered) : left_(open_current()) { enter(entered); }
  ~InsideNamespace() { enter(left_); }
  InsideNamespace(const InsideNamespace&) = delete;
  InsideNamespace& operator=(const InsideNamespace&) = delete;

  static platform::Descriptor open_current() {
    return platform::Descriptor(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
  }
  // A test that went on in the wrong namespace could change the machine's own network.
  static void enter(const platform::Descriptor& entered) {
    if (::setns(entered.number(), CLONE_NEWNET) != 0) {
      std::abort();
    }
  }

 private:
  platform::Descriptor left_;
};

class VethPair {
 public:
  explicit VethPair(VethPlan plan = {}) : plan_(std::move(plan)), before_(InsideNamespace::open_current()) {
    if (::geteuid() != 0) {
      why_not_ = "a network namespace of one's own needs root";
    } else if (!before_.is_open() || !enter_new(far_) || !enter_new(near_)) {
      why_not_ = "the system refuses a network namespace";
    } else if (!make_link()) {
      why_not_ = "a veth pair cannot be made (iproute2 or the kernel's veth module is missing)";
    }
  }
  ~VethPair() {
    if (has_left_) {
      InsideNamespace::enter(before_);
    }
  }
  VethPair(const VethPair&) = delete;
  VethPair& operator=(const VethPair&) = delete;

  // Empty when the pair is up.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  [[nodiscard]] const VethPlan& plan() const { return plan_; }

  // `const InsideNamespace inside(pair.far_namespace());` and what follows in the block happens at the far end.
  [[nodiscard]] const platform::Descriptor& far_namespace() const { return far_; }
  bool near_ip(std::vector<std::string> arguments) const { return run_ip(std::move(arguments)); }
  bool far_ip(std::vector<std::string> arguments) const {
    const InsideNamespace inside(far_);
    return run_ip(std::move(arguments));
  }

 private:
  bool enter_new(platform::Descriptor& kept) {
    if (::unshare(CLONE_NEWNET) != 0) {
      return false;
    }
    has_left_ = true;
    // No router solicitations and the like: what crosses the link is what the test sends.
    std::ofstream("/proc/sys/net/ipv6/conf/default/disable_ipv6") << 1;
    kept = InsideNamespace::open_current();
    return kept.is_open();
  }

  [[nodiscard]] bool make_link() const {
    const std::string far_path = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(far_.number());
    const std::string mtu = std::to_string(plan_.mtu);
    return run_ip({"link", "add", plan_.near.name, "address", plan_.near.mac, "mtu", mtu, "type", "veth", "peer",
                   "name", plan_.far.name, "address", plan_.far.mac, "mtu", mtu, "netns", far_path}) &&
           bring_up(plan_.near) && far_up();
  }
  [[nodiscard]] bool far_up() const {
    const InsideNamespace inside(far_);
    return bring_up(plan_.far);
  }
  static bool bring_up(const VethEnd& end) {
    return run_ip({"link", "set", "lo", "up"}) && run_ip({"link", "set", end.name, "up"}) &&
           (end.ipv4.empty() || run_ip({"address", "add", end.ipv4, "dev", end.name}));
  }

  VethPlan plan_;
  platform::Descriptor before_;
  platform::Descriptor far_;
  platform::Descriptor near_;
  bool has_left_ = false;
  std::string why_not_;
};

}  // namespace rtecho::drivers::test

#include "platform/stop_flag.hpp"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "platform/os_error.hpp"
#include "rt_core/assert.hpp"

namespace rtecho::platform {

namespace {

constexpr std::array<int, 4> handled_signals{SIGINT, SIGTERM, SIGHUP, SIGPIPE};

// Beside StopFlag::request_, what a handler must reach and what the destructor puts back.
std::atomic<bool> is_installed{false};
std::atomic<int> first_signal{0};
std::atomic<int> wake{-1};
std::array<struct sigaction, handled_signals.size()> former_actions{};

}  // namespace

void StopFlag::set(int signal_number) noexcept {
  int none = 0;
  first_signal.compare_exchange_strong(none, signal_number);
  request_.made.store(true);
  // Fails only when the counter is at its end, and then the descriptor is readable as it should be.
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake.load(), &one, sizeof one);
}

void StopFlag::on_signal(int signal_number) noexcept {
  const int kept = errno;
  set(signal_number);
  errno = kept;
}

Result<StopFlag> StopFlag::install() noexcept {
  const int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (descriptor < 0) {
    return os_error(errno, "make a descriptor for the stop flag");
  }
  RTECHO_ASSERT(!is_installed.exchange(true));
  wake.store(descriptor);
  first_signal.store(0);
  request_.made.store(false);
  for (std::size_t i = 0; i < handled_signals.size(); ++i) {
    struct sigaction action {};
    // No SA_RESTART: a blocking call of an ordinary thread shall return and look at the flag.
    action.sa_handler = handled_signals[i] == SIGPIPE ? SIG_IGN : &StopFlag::on_signal;
    sigfillset(&action.sa_mask);
    // Cannot fail: the numbers are valid and can be handled (sigaction(2)).
    sigaction(handled_signals[i], &action, &former_actions[i]);
    if (handled_signals[i] == SIGHUP && former_actions[i].sa_handler == SIG_IGN) {
      sigaction(SIGHUP, &former_actions[i], nullptr);
    }
  }
  return StopFlag();
}

StopFlag::StopFlag(StopFlag&& other) noexcept : owner_(std::exchange(other.owner_, false)) {}

StopFlag::~StopFlag() {
  if (!owner_) {
    return;
  }
  for (std::size_t i = 0; i < handled_signals.size(); ++i) {
    sigaction(handled_signals[i], &former_actions[i], nullptr);
  }
  close(wake.exchange(-1));
  is_installed.store(false);
}

int StopFlag::signal_number() const noexcept {
  return first_signal.load();
}
int StopFlag::wake_descriptor() const noexcept {
  return wake.load();
}
void StopFlag::request() noexcept {
  set(0);
}

}  // namespace rtecho::platform

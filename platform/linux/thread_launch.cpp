#include "thread_launch.hpp"

#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <semaphore>

#include "cpu_set.hpp"
#include "platform/memory.hpp"
#include "platform/os_error.hpp"
#include "process_status.hpp"
#include "rt_core/assert.hpp"
#include "scheduling_refusal.hpp"

namespace rtecho::platform {

namespace {

std::string policy_name(int policy) {
  switch (policy & ~SCHED_RESET_ON_FORK) {
    case SCHED_FIFO:
      return "fifo";
    case SCHED_RR:
      return "rr";
    case SCHED_OTHER:
      return "other";
    case SCHED_BATCH:
      return "batch";
    case SCHED_IDLE:
      return "idle";
    default:
      return "policy " + std::to_string(policy);
  }
}

// Of the calling thread. The pthread calls would not do: glibc answers pthread_getschedparam from what was asked.
ThreadGrant read_grant() {
  ThreadGrant grant;
  grant.policy = policy_name(sched_getscheduler(0));
  sched_param parameter{};
  sched_getparam(0, &parameter);
  grant.priority = parameter.sched_priority;
  grant.cpus = CpuSet::current().ids();
  const LockedMemory memory = read_locked_memory();
  grant.locked_bytes = memory.locked_bytes;
  grant.memory_locked = memory.covers_everything();
  return grant;
}

// What was asked for, not refused, and is nevertheless not there.
void add_silent_shortfalls(const ThreadLaunch& launch, ThreadGrant& grant) {
  if (launch.fifo_priority && (grant.policy != "fifo" || grant.priority != *launch.fifo_priority)) {
    grant.degraded.push_back("SCHED_FIFO " + std::to_string(*launch.fifo_priority) +
                             " was accepted, but the thread runs as " + grant.policy + " " +
                             std::to_string(grant.priority) + "; look for a tool that changes the policy of threads");
  }
  if (launch.cpu && grant.cpus != std::vector{*launch.cpu}) {
    grant.degraded.push_back("cpu " + std::to_string(*launch.cpu) + " was accepted, but the thread may run on " +
                             cpu_list_text(grant.cpus) + "; look for a cpuset that changes under the process");
  }
  if (launch.wants_locked_memory && !grant.memory_locked) {
    grant.degraded.push_back("memory of the thread is not locked: " + std::to_string(grant.locked_bytes / 1024) +
                             " kB of the process are (VmLck); give it CAP_IPC_LOCK or a higher memlock limit");
  }
}

// glibc puts the thread-local variables of all loaded modules on the thread's stack: under the thread sanitizer that
// is more than the whole stack of a plan.
std::size_t thread_local_bytes() noexcept {
  std::size_t sum = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* argument) {
        for (std::size_t i = 0; i < module->dlpi_phnum; ++i) {
          const auto& segment = module->dlpi_phdr[i];
          if (segment.p_type == PT_TLS) {
            *static_cast<std::size_t*>(argument) += segment.p_memsz + segment.p_align;
          }
        }
        return 0;
      },
      &sum);
  return sum;
}

// pthread attributes, destroyed with the object. Each member returns the error, as pthread functions do.
class ThreadAttributes {
 public:
  ThreadAttributes() noexcept { pthread_attr_init(&attributes_); }  // cannot fail on Linux
  ThreadAttributes(const ThreadAttributes&) = delete;
  ThreadAttributes& operator=(const ThreadAttributes&) = delete;
  ~ThreadAttributes() { pthread_attr_destroy(&attributes_); }

  [[nodiscard]] int set_stack(std::span<std::byte> stack) noexcept {
    return pthread_attr_setstack(&attributes_, stack.data(), stack.size());
  }
  [[nodiscard]] int block_all_signals() noexcept {
    sigset_t all;
    sigfillset(&all);
    return pthread_attr_setsigmask_np(&attributes_, &all);
  }
  // Explicit also for the ordinary policy: a thread otherwise inherits whatever its creator runs under.
  [[nodiscard]] int set_scheduling(int policy, int priority) noexcept {
    const sched_param parameter{.sched_priority = priority};
    int code = pthread_attr_setinheritsched(&attributes_, PTHREAD_EXPLICIT_SCHED);
    code = code != 0 ? code : pthread_attr_setschedpolicy(&attributes_, policy);
    return code != 0 ? code : pthread_attr_setschedparam(&attributes_, &parameter);
  }
  [[nodiscard]] int pin_to(int cpu) noexcept {
    return pthread_attr_setaffinity_np(&attributes_, CpuSet::byte_count, CpuSet::only(cpu).data());
  }
  [[nodiscard]] const pthread_attr_t* get() const noexcept { return &attributes_; }

 private:
  pthread_attr_t attributes_{};
};

}  // namespace

struct BootstrappedThread::State {
  State(ThreadLaunch asked, MappedMemory mapped) : launch(std::move(asked)), memory(std::move(mapped)) {}

  static void* run(void* raw) noexcept;
  int create() noexcept;

  ThreadLaunch launch;
  MappedMemory memory;  // a page that nobody may touch, then the stack
  pthread_t thread{};
  bool joinable = false;
  ThreadGrant grant;
  std::binary_semaphore granted{0};
};

void* BootstrappedThread::State::run(void* raw) noexcept {
  State& state = *static_cast<State*>(raw);
  // Neither can fail with these arguments. Real-time policies know no slack; under the ordinary one it would add
  // up to 50 us to every sleep.
  prctl(PR_SET_NAME, state.launch.name);
  prctl(PR_SET_TIMERSLACK, 1UL);
  state.grant = read_grant();
  state.grant.degraded = std::move(state.launch.degraded);
  add_silent_shortfalls(state.launch, state.grant);
  state.granted.release();
  state.launch.body(state.launch.argument);
  return nullptr;
}

int BootstrappedThread::State::create() noexcept {
  ThreadAttributes attributes;
  int code = attributes.set_stack(memory.bytes().subspan(page_bytes()));
  code = code != 0 ? code : attributes.block_all_signals();
  code = code != 0 ? code
                   : attributes.set_scheduling(launch.fifo_priority ? SCHED_FIFO : SCHED_OTHER,
                                               launch.fifo_priority.value_or(0));
  if (launch.cpu) {
    code = code != 0 ? code : attributes.pin_to(*launch.cpu);
  }
  code = code != 0 ? code : pthread_create(&thread, attributes.get(), run, this);
  joinable = code == 0;
  return code;
}

Result<BootstrappedThread> BootstrappedThread::launch(ThreadLaunch launch) {
  RTECHO_ASSERT(launch.body != nullptr && launch.name != nullptr);
  if (launch.stack_bytes < static_cast<std::size_t>(sysconf(_SC_THREAD_STACK_MIN))) {
    return Error{Status::invalid, 0, "stack of the thread is smaller than the system allows"};
  }
  // The stack is mapped here and not by pthread_create, so that it is touched before the thread exists.
  const std::size_t stack_bytes = whole_pages(launch.stack_bytes + thread_local_bytes());
  Result<MappedMemory> memory = MappedMemory::map(page_bytes() + stack_bytes);
  if (!memory) {
    return memory.error();
  }
  if (mprotect(memory.value().bytes().data(), page_bytes(), PROT_NONE) != 0) {
    return os_error(errno, "guard the stack of the thread");
  }
  auto state = std::make_unique<State>(std::move(launch), std::move(memory).value());
  int code = state->create();
  if (code == EPERM && state->launch.fifo_priority) {
    state->launch.degraded.push_back(explain_fifo_refusal(*state->launch.fifo_priority));
    state->launch.fifo_priority.reset();
    code = state->create();
  }
  if (code == EINVAL && state->launch.cpu) {
    // The caller checked the core, so a cpuset changed meanwhile.
    state->launch.degraded.push_back("cpu " + std::to_string(*state->launch.cpu) +
                                     " refused (EINVAL): this process may use " + allowed_cpus_text());
    state->launch.cpu.reset();
    code = state->create();
  }
  if (code != 0) {
    return os_error(code, "start the thread");
  }
  state->granted.acquire();
  return BootstrappedThread(std::move(state));
}

BootstrappedThread::BootstrappedThread(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
BootstrappedThread::BootstrappedThread(BootstrappedThread&& other) noexcept = default;

BootstrappedThread& BootstrappedThread::operator=(BootstrappedThread&& other) noexcept {
  if (this != &other) {
    join();
    state_ = std::move(other.state_);
  }
  return *this;
}

BootstrappedThread::~BootstrappedThread() {
  join();
}

const ThreadGrant& BootstrappedThread::grant() const noexcept {
  RTECHO_ASSERT(state_ != nullptr);
  return state_->grant;
}

void BootstrappedThread::join() noexcept {
  if (state_ == nullptr || !state_->joinable) {
    return;
  }
  const int code = pthread_join(state_->thread, nullptr);
  RTECHO_ASSERT(code == 0);  // a thread that joins itself is a caller's bug, nothing else can fail
  state_->joinable = false;
}

}  // namespace rtecho::platform

// A caller's bug. Always on: each use is a compare and a branch that is never taken.
// There is no message at run time, because rt_core has nowhere to print: the trap leaves the place in the core
// dump and in the debugger.
#pragma once

namespace rtecho::detail {

[[noreturn]] inline void assertion_failed() noexcept {
#if defined(_MSC_VER)
  __fastfail(7);
#else
  __builtin_trap();
#endif
}

}  // namespace rtecho::detail

#define RTECHO_ASSERT(condition) (static_cast<bool>(condition) ? void() : ::rtecho::detail::assertion_failed())

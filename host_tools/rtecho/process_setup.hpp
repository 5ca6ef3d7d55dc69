// What both ends do with their process before the first thread exists. Each throws ProgramFailure with a sentence
// that says what to do.
#pragma once

#include <string>

#include "options.hpp"
#include "platform/stop_flag.hpp"
#include "version.hpp"

namespace rtecho::pair {

[[nodiscard]] platform::StopFlag install_stop_flag();

// An empty name: stay here.
void enter_namespace(const std::string& name);

// The core exists and is ours.
void check_thread_options(const ThreadOptions& options);

// A path that cannot be written is told before an hour of measuring, not after it. Empty: nothing to write.
void check_output(const std::string& path);

// Drops every capability that the rest of the run does not need. `opens_frames`: each series opens a packet socket.
void keep_needed_capabilities(bool writes_files, bool opens_frames);

}  // namespace rtecho::pair

// An Error as a sentence for a person.
#pragma once

#include <string>

#include "drivers/address.hpp"
#include "report/exit_code.hpp"
#include "rt_core/result.hpp"

namespace rtecho::pair {

// "opening the data socket: EADDRINUSE: Address already in use": what was done and what the system said.
[[nodiscard]] std::string sentence_of(const Error& error);

// Throws ProgramFailure: usage for a text that is no address, machine_refused for an interface that does not exist.
// `option` is what the user wrote it for.
[[nodiscard]] drivers::Address address_of(const std::string& option, const std::string& text, std::uint16_t port);

}  // namespace rtecho::pair

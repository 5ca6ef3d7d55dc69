// The options that say how an end touches the wire, the same at both ends.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "options.hpp"

namespace rtecho::pair {

// Options that are text on the command line and become something else after it is read.
struct LinkTexts {
  std::string driver = "socket";
  std::string address;
  std::string peer_mac;
  std::string vlan;
  std::optional<int> differentiated_services;
  std::string transmit = "send";
  std::string session;
};

void add_link_options(CLI::App& app, LinkOptions& options, UncontrolledOptions& uncontrolled, LinkTexts& texts);

// Throws what CLI11 reports as a usage error.
void finish_link_options(const LinkTexts& texts, LinkOptions& options, UncontrolledOptions& uncontrolled);

}  // namespace rtecho::pair

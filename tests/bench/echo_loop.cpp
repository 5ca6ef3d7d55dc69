// echo_loop N: N whole echoes of 64 bytes over the loopback link, and nothing else that grows with N. The program that
// instructions_per_echo counts; exit code 1 where not every echo was answered.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "echo_rig.hpp"

int main(int argc, char** argv) {
  const std::uint64_t count = argc == 2 ? std::strtoull(argv[1], nullptr, 10) : 0;
  if (count == 0) {
    std::cerr << "usage: echo_loop N    (N >= 1 echoes)\n";
    return 2;
  }
  const auto rig = std::make_unique<rtecho::bench::EchoRig>(64, count);
  for (std::uint64_t i = 0; i < count; ++i) {
    rig->turn();
  }
  const rtecho::ClientAccounting& client = rig->client().record().accounting;
  const rtecho::ServerAccounting& server = rig->server().accounting();
  const bool all_answered = client.holds() && server.holds() && client.answered == count && server.replies == count &&
                            rig->client().record().service.n() == count;
  if (!all_answered) {
    std::cerr << "echo_loop: " << client.answered << " of " << count << " answered\n";
  }
  return all_answered ? 0 : 1;
}

#include "options.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rtecho::pair {
namespace {

Command parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "rtecho");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

ClientOptions client(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), {"client", "10.0.0.1"});
  return std::get<ClientOptions>(parse(arguments));
}

TEST(ClientOptions, HaveTheDocumentedDefaults) {
  const ClientOptions options = client({});
  EXPECT_EQ(options.protocol, Protocol::udp);
  EXPECT_EQ(options.sizes, (std::vector<std::uint32_t>{64}));
  EXPECT_EQ(options.plan.count, 10'000U);
  EXPECT_EQ(options.plan.batch.messages, 500U);
  EXPECT_EQ(options.plan.batch.rest.ns(), 5'000'000);
  EXPECT_EQ(options.plan.batch.resume, 16U);
  EXPECT_EQ(options.plan.warmup, 1'000U);
  EXPECT_EQ(options.plan.timeout.ns(), 100'000'000);
  EXPECT_EQ(options.plan.pacing.window, 1U);
  EXPECT_FALSE(options.plan.pacing.scheduled());
  EXPECT_EQ(options.plan.wait.mode, WaitMode::spin);
  EXPECT_EQ(options.plan.wait.idle_limit.ns(), 2'000'000);
  EXPECT_EQ(options.thread.plan.priority, 80);
  EXPECT_FALSE(options.thread.asks_for_realtime()) << "not without --cpu";
  EXPECT_EQ(options.label, "realtime");
}

TEST(ClientOptions, AskForRealTimeWithAllItsIngredients) {
  EXPECT_TRUE(client({"--cpu", "1"}).thread.asks_for_realtime());
  EXPECT_FALSE(client({"--cpu", "1", "--policy", "other"}).thread.asks_for_realtime());
  EXPECT_FALSE(client({"--cpu", "1", "--no-memory-lock"}).thread.asks_for_realtime());
}

TEST(ClientOptions, KeepAWholeRateExactly) {
  const PacingPlan pacing = client({"--rate", "3"}).plan.pacing;
  EXPECT_EQ(pacing.numerator_ns, 1'000'000'000);
  EXPECT_EQ(pacing.denominator, 3);
  EXPECT_EQ(pacing.window, 64U);
  EXPECT_EQ(client({"--rate", "0.5"}).plan.pacing.numerator_ns, 2'000'000'000);
  EXPECT_EQ(client({"--interval", "12.5"}).plan.pacing.numerator_ns, 12'500);
}

TEST(ClientOptions, OpenTheWindowForABurst) {
  EXPECT_EQ(client({"--burst", "32"}).plan.pacing.window, 32U);
  EXPECT_EQ(client({"--burst", "100", "--rate", "10"}).plan.pacing.window, 100U);
  EXPECT_EQ(client({"--burst", "2", "--window", "7"}).plan.pacing.window, 7U);
}

TEST(ClientOptions, RefuseWhatMakesNoSense) {
  const std::vector<std::vector<const char*>> bad{{"client"},
                                                  {"client", "a", "--sizes", "0"},
                                                  {"client", "a", "--sizes", "64,"},
                                                  {"client", "a", "--sizes", "65508"},
                                                  {"client", "a", "--count", "0"},
                                                  {"client", "a", "--count", "-1"},
                                                  {"client", "a", "--batch=-1"},
                                                  {"client", "a", "--warmup=-1"},
                                                  {"client", "a", "--resume=-1"},
                                                  {"client", "a", "--allowed-loss=-1"},
                                                  {"client", "a", "--rate", "0"},
                                                  {"client", "a", "--rate", "nan"},
                                                  {"client", "a", "--rate", "inf"},
                                                  {"client", "a", "--rate", "1e30"},
                                                  {"client", "a", "--rate", "10", "--interval", "10"},
                                                  {"client", "a", "--interval", "0"},
                                                  {"client", "a", "--timeout-ms", "0"},
                                                  {"client", "a", "--timeout-ms", "nan"},
                                                  {"client", "a", "--rest-ms", "0"},
                                                  {"client", "a", "--rest-ms", "nan"},
                                                  {"client", "a", "--wait-for-server", "nan"},
                                                  {"client", "a", "--for", "0s"},
                                                  {"client", "a", "--for", "1s", "--count", "1"},
                                                  {"client", "a", "--window", "40000"},
                                                  {"client", "a", "--window", "2", "--sizes", "1"},
                                                  {"client", "a", "--burst", "3", "--window", "2"},
                                                  {"client", "a", "--priority", "99"},
                                                  {"client", "a", "--policy", "rr"},
                                                  {"client", "a", "--driver", "xdp"},
                                                  {"client", "a", "--nonsense"},
                                                  {"server", "--port", "65536"},
                                                  {"server", "--for", "soon"},
                                                  {"server", "--ready-fd", "-1"},
                                                  {}};
  for (const auto& arguments : bad) {
    const Command command = parse(arguments);
    ASSERT_TRUE(std::holds_alternative<report::ExitCode>(command)) << testing::PrintToString(arguments);
    EXPECT_EQ(std::get<report::ExitCode>(command), report::ExitCode::usage);
  }
}

TEST(ServerOptions, ListenOnLoopbackUnlessAskedOtherwise) {
  const auto options = std::get<ServerOptions>(parse({"server"}));
  EXPECT_EQ(options.bind, "127.0.0.1");
  EXPECT_EQ(options.control_port, 7'007);
  EXPECT_EQ(options.data_port, 0);
  EXPECT_EQ(options.ready_descriptor, -1);
  EXPECT_FALSE(options.run_for);
}

TEST(ServerOptions, TakeSeveralAllowedAddresses) {
  const auto options =
      std::get<ServerOptions>(parse({"server", "--allow", "10.0.0.2", "--allow", "fd00::2", "--for", "5s"}));
  EXPECT_EQ(options.allowed, (std::vector<std::string>{"10.0.0.2", "fd00::2"}));
  EXPECT_EQ(options.run_for->ns(), 5'000'000'000);
}

TEST(Help, EndsCleanly) {
  for (const char* flag : {"--help", "--version"}) {
    EXPECT_EQ(std::get<report::ExitCode>(parse({flag})), report::ExitCode::clean);
  }
  EXPECT_EQ(std::get<report::ExitCode>(parse({"client", "--help"})), report::ExitCode::clean);
}

// --- the link -----------------------------------------------------------------------------------------------------

bool is_usage_error(std::vector<const char*> arguments) {
  const Command command = parse(std::move(arguments));
  return std::holds_alternative<report::ExitCode>(command) &&
         std::get<report::ExitCode>(command) == report::ExitCode::usage;
}

TEST(LinkOptions, AreSocketsWithoutMarks) {
  const LinkOptions link = client({}).link;
  EXPECT_EQ(link.driver, Driver::socket);
  EXPECT_FALSE(link.moves_frames());
  EXPECT_FALSE(link.vlan || link.own_address || link.peer_mac || link.marking.differentiated_services);
}

TEST(LinkOptions, OfAFrameDriver) {
  const ClientOptions options = client({"--driver", "ring", "--iface", "eth1", "--protocol", "eth", "--vlan", "5:3",
                                        "--transmit", "ring", "--dscp", "46", "--socket-priority", "5"});
  EXPECT_EQ(options.protocol, Protocol::eth);
  EXPECT_EQ(options.link.driver, Driver::ring);
  EXPECT_EQ(options.link.interface, "eth1");
  EXPECT_EQ(options.link.vlan, (VlanTag{5, 3}));
  EXPECT_EQ(options.link.transmit, drivers::TransmitWay::ring);
  EXPECT_EQ(options.link.marking.differentiated_services, 46);
  EXPECT_EQ(options.link.marking.priority, 5);
}

TEST(LinkOptions, TakeAnAddressOfAHost) {
  const auto address_of = [](const char* text) {
    return std::vector<const char*>{"client", "10.0.0.1", "--driver", "ring", "--iface", "eth1", "--address", text};
  };
  EXPECT_EQ(std::get<ClientOptions>(parse(address_of("10.77.0.101"))).link.own_address, 0x0A4D'0065U);
  for (const char* text :
       {"10.77.0", "0.0.0.0", "127.0.0.1", "224.0.0.1", "255.255.255.255", "fd00::1", "10.77.0.1:80"}) {
    EXPECT_TRUE(is_usage_error(address_of(text))) << text;
  }
}

TEST(LinkOptions, RefuseWhatMakesNoSense) {
  const std::vector<const char*> client_start{"client", "10.0.0.1"};
  for (const std::vector<const char*>& more :
       std::vector<std::vector<const char*>>{{"--driver", "ring"},
                                             {"--driver", "carrier-pigeon"},
                                             {"--protocol", "eth"},
                                             {"--address", "10.77.0.101"},
                                             {"--peer-mac", "02:00:00:00:00:0a"},
                                             {"--vlan", "5"},
                                             {"--vlan", "5:3", "--iface", "eth1"},
                                             {"--vlan", "0", "--iface", "eth1"},
                                             {"--vlan", "4095", "--driver", "ring", "--iface", "eth1"},
                                             {"--vlan", "5:8", "--driver", "ring", "--iface", "eth1"},
                                             {"--peer-mac", "ff:ff:ff:ff:ff:ff", "--driver", "ring", "--iface", "eth1"},
                                             {"--dscp", "64"},
                                             {"--socket-priority", "-1"},
                                             {"--session", "0123456789abcdef"}}) {
    std::vector<const char*> arguments = client_start;
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_TRUE(is_usage_error(arguments)) << more[0] << " " << (more.size() > 1 ? more[1] : "");
  }
}

TEST(UncontrolledOptions, NeedEverythingThatControlWouldAgreeOn) {
  const std::vector<const char*> whole{"client",    "--no-control",    "--protocol", "eth",        "--driver",
                                       "ring",      "--iface",         "eth1",       "--peer-mac", "02:00:00:00:00:0a",
                                       "--session", "0123456789abcdef"};
  const auto options = std::get<ClientOptions>(parse(whole));
  EXPECT_TRUE(options.uncontrolled.no_control);
  EXPECT_EQ(options.uncontrolled.session, 0x0123'4567'89AB'CDEFU);
  for (std::size_t pair = 2; pair < whole.size(); pair += 2) {
    std::vector<const char*> arguments = whole;
    arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(pair),
                    arguments.begin() + static_cast<std::ptrdiff_t>(pair + 2));
    EXPECT_TRUE(is_usage_error(arguments)) << "without " << whole[pair];
  }
  for (const std::vector<const char*>& more :
       std::vector<std::vector<const char*>>{{"--sizes", "64,128"}, {"10.0.0.1"}}) {
    std::vector<const char*> arguments = whole;
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_TRUE(is_usage_error(arguments)) << more[0];
  }
}

TEST(ClientOptions, NeedAServer) {
  EXPECT_TRUE(is_usage_error({"client"}));
}

}  // namespace
}  // namespace rtecho::pair

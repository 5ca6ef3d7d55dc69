#include "control_messages.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

namespace rtecho::pair {
namespace {

using nlohmann::json;

json good_arm() {
  return to_json(Arm{Protocol::udp, 64, 40'000, "", Duration::from_us(250), true});
}

TEST(ArmMessage, GoesThereAndBack) {
  const auto arm = read_arm(to_json(Arm{Protocol::tcp, 65'535, 0, "10.0.0.9", Duration::from_ns(12'500), false}));
  ASSERT_TRUE(arm);
  EXPECT_EQ(arm->protocol, Protocol::tcp);
  EXPECT_EQ(arm->message_bytes, 65'535U);
  EXPECT_EQ(arm->data_port, 0U);
  EXPECT_EQ(arm->data_address, "10.0.0.9");
  EXPECT_EQ(arm->spacing.ns(), 12'500);
  EXPECT_FALSE(arm->rests);
}

TEST(ArmMessage, RefusesEveryFieldThatIsMissing) {
  for (const char* key : {"type", "protocol", "message_bytes", "data_port", "spacing_ns", "rests"}) {
    json message = good_arm();
    ASSERT_TRUE(read_arm(message));
    message.erase(key);
    EXPECT_FALSE(read_arm(message)) << key;
  }
}

TEST(ArmMessage, RefusesEveryFieldOutOfItsRange) {
  const std::initializer_list<std::pair<const char*, json>> bad{{"protocol", "eth"},
                                                                {"protocol", 1},
                                                                {"message_bytes", 0},
                                                                {"message_bytes", 65'508},
                                                                {"message_bytes", -1},
                                                                {"message_bytes", "64"},
                                                                {"message_bytes", 64.5},
                                                                {"data_port", 0},
                                                                {"data_port", 65'536},
                                                                {"spacing_ns", -1},
                                                                {"spacing_ns", 3'600'000'000'001},
                                                                {"rests", 1}};
  for (const auto& [key, value] : bad) {
    json message = good_arm();
    message[key] = value;
    EXPECT_FALSE(read_arm(message)) << key << " " << value;
  }
}

TEST(ConnectMessage, CarriesTheWholeSession) {
  const auto connect = read_connect(to_json(Connect{0xFFFF'FFFF'FFFF'FFFE, 7'100}));
  ASSERT_TRUE(connect);
  EXPECT_EQ(connect->session, 0xFFFF'FFFF'FFFF'FFFEU);
  EXPECT_EQ(connect->data_port, 7'100);
  EXPECT_FALSE(read_connect(to_json(Connect{1, 0})));
}

TEST(HelloMessage, CarriesItsVersion) {
  EXPECT_EQ(read_hello(to_json(Hello{}))->version, 1);
  EXPECT_FALSE(read_hello(json{{"type", "hello"}}));
  EXPECT_FALSE(read_hello(json{{"type", "arm"}, {"version", 1}}));
}

TEST(ReportMessage, GoesThereAndBack) {
  ServerReport report;
  report.accounting = ServerAccounting{.frames = 10, .requests = 7, .repeated = 1, .malformed = 2, .replies = 8};
  report.window.minor_faults = 3;
  report.port = json{{"truncated", 2}};
  report.blocked_waits = 21;
  report.notes["determinism.server.steal_ns"] = "not told";
  const auto read = read_report(to_json(report));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->accounting, report.accounting);
  EXPECT_EQ(read->window, report.window);
  EXPECT_EQ(read->port, report.port);
  EXPECT_EQ(read->blocked_waits, 21U);
  EXPECT_EQ(read->notes, report.notes);
}

TEST(ReportMessage, IsAbsentWhereNothingCame) {
  EXPECT_FALSE(read_report(nullptr));
  EXPECT_FALSE(read_report(json{{"type", "report"}}));
}

TEST(ArmedMessage, GoesThereAndBack) {
  Armed armed;
  armed.end.degraded = {"SCHED_FIFO refused"};
  armed.driver = "socket";
  armed.wait = WaitMode::block;
  armed.realtime = true;
  const auto read = read_armed(to_json(armed));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->end.degraded, armed.end.degraded);
  EXPECT_EQ(read->driver, "socket");
  EXPECT_EQ(read->wait, WaitMode::block);
  EXPECT_TRUE(read->realtime);
  EXPECT_FALSE(read_armed(json{{"type", "armed"}}));
}

TEST(ProbeMessage, CarriesItsNonce) {
  EXPECT_EQ(read_nonce(text_message("probe", "nonce", "00000000000000ff")), 255U);
  EXPECT_FALSE(read_nonce(text_message("probe", "nonce", "ff")));
  EXPECT_FALSE(read_nonce(text_message("end", "nonce", "00000000000000ff")));
}

}  // namespace
}  // namespace rtecho::pair

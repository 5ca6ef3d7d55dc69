#include "control_messages.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

namespace rtecho::pair {
namespace {

using nlohmann::json;

json good_arm() {
  return to_json(Arm{Protocol::udp, 64, 40'000, "", MacAddress{}, Duration::from_us(250), true});
}

constexpr MacAddress station(MacAddress::Bytes{std::byte{2}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0},
                                               std::byte{10}});

TEST(ArmMessage, GoesThereAndBack) {
  const auto arm =
      read_arm(to_json(Arm{Protocol::tcp, 65'535, 0, "10.0.0.9", MacAddress{}, Duration::from_ns(12'500), false}));
  ASSERT_TRUE(arm);
  EXPECT_EQ(arm->protocol, Protocol::tcp);
  EXPECT_EQ(arm->message_bytes, 65'535U);
  EXPECT_EQ(arm->data_port, 0U);
  EXPECT_EQ(arm->data_address, "10.0.0.9");
  EXPECT_EQ(arm->spacing.ns(), 12'500);
  EXPECT_FALSE(arm->rests);
}

TEST(ArmMessage, OfRawEthernetNamesAStation) {
  const Arm raw{Protocol::eth, 64, 0, "", station, Duration{}, true};
  ASSERT_TRUE(read_arm(to_json(raw)));
  EXPECT_EQ(read_arm(to_json(raw))->data_mac, station);
  for (const char* nobody : {"", "02:00:00:00:00", "00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:01"}) {
    json message = to_json(raw);
    message["data_mac"] = nobody;
    EXPECT_FALSE(read_arm(message)) << nobody;
  }
  json message = to_json(raw);
  message["data_mac"] = 7;
  EXPECT_FALSE(read_arm(message));
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
  const auto connect = read_connect(to_json(Connect{0xFFFF'FFFF'FFFF'FFFE, 7'100, "", MacAddress{}}));
  ASSERT_TRUE(connect);
  EXPECT_EQ(connect->session, 0xFFFF'FFFF'FFFF'FFFEU);
  EXPECT_EQ(connect->data_port, 7'100);
  EXPECT_FALSE(read_connect(to_json(Connect{1, 0, "", MacAddress{}})));
}

TEST(ConnectMessage, NamesAnAddressOrAStation) {
  const auto udp = read_connect(to_json(Connect{1, 7'100, "10.77.0.101", MacAddress{}}));
  ASSERT_TRUE(udp);
  EXPECT_EQ(udp->data_address, "10.77.0.101");
  const auto raw = read_connect(to_json(Connect{1, 0, "", station}));
  ASSERT_TRUE(raw);
  EXPECT_EQ(raw->data_mac, station);
  EXPECT_FALSE(read_connect(to_json(Connect{1, 7'100, "", station}))) << "a port or a station, not both";
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

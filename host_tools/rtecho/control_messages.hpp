// What the two ends say to each other over the control channel (docs/wire_protocol.md, "Control"). Values with a
// strict reading: a field that is missing, of another type or out of range makes the whole message absent.
//
//   client: hello ─► (challenge ◄─ response ─►) welcome ◄─ | busy ◄─ | error ◄─
//   client, per series: arm ─► (untestable ◄─ |) connect ◄─ (udp, eth: probe ─►) armed ◄─ … alive ─► … end ─► report ◄─
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/run_file.hpp"
#include "rt_core/accounting.hpp"
#include "rt_core/ethernet.hpp"
#include "rt_core/run_plan.hpp"

namespace rtecho::pair {

inline constexpr unsigned control_version = 1;

struct Hello {
  unsigned version = control_version;
};

// One series as the server must know it.
struct Arm {
  Protocol protocol = Protocol::udp;
  std::uint32_t message_bytes = 0;
  std::uint16_t data_port = 0;  // udp: where the client receives; else 0
  std::string data_address;     // empty: the control connection's
  MacAddress data_mac;          // the client's station, of eth and of udp over frames; else zero
  Duration spacing;             // 0 without a schedule
  bool rests = true;
};

// Where the data path is.
struct Connect {
  std::uint64_t session = 0;
  std::uint16_t data_port = 0;  // eth: 0
  std::string data_address;     // empty: the control connection's
  MacAddress data_mac;          // eth; else zero
};

struct Armed {
  report::EndRecord end;  // the server's machine and what its measuring thread was granted
  std::string driver;
  WaitMode wait = WaitMode::spin;
  bool realtime = false;  // every ingredient of a real-time run was asked for at the server
};

// The server's half of a series.
struct ServerReport {
  ServerAccounting accounting;
  report::WindowRecord window;
  nlohmann::json port = nlohmann::json::object();
  std::uint64_t blocked_waits = 0;
  report::Notes notes;
};

[[nodiscard]] nlohmann::json to_json(const Hello& hello);
[[nodiscard]] nlohmann::json to_json(const Arm& arm);
[[nodiscard]] nlohmann::json to_json(const Connect& connect);
[[nodiscard]] nlohmann::json to_json(const Armed& armed);
[[nodiscard]] nlohmann::json to_json(const ServerReport& report);
[[nodiscard]] nlohmann::json error_message(const std::string& reason);
// {"type": name} with one text beside it.
[[nodiscard]] nlohmann::json text_message(const char* type, const char* key, const std::string& text);

[[nodiscard]] std::optional<Hello> read_hello(const nlohmann::json& message);
[[nodiscard]] std::optional<Arm> read_arm(const nlohmann::json& message);
[[nodiscard]] std::optional<Connect> read_connect(const nlohmann::json& message);
[[nodiscard]] std::optional<Armed> read_armed(const nlohmann::json& message);
[[nodiscard]] std::optional<ServerReport> read_report(const nlohmann::json& message);
[[nodiscard]] std::optional<std::uint64_t> read_nonce(const nlohmann::json& message);

[[nodiscard]] bool is_type(const nlohmann::json& message, const char* type);
// A text field; empty where it is absent or no text.
[[nodiscard]] std::string text_field(const nlohmann::json& message, const char* key);

}  // namespace rtecho::pair

#include "control_messages.hpp"

#include <limits>

#include "drivers/mac_text.hpp"
#include "quantities.hpp"

namespace rtecho::pair {

namespace {

using nlohmann::json;

// A whole number of the range, or absent.
template <typename T>
std::optional<T> whole_field(const json& message, const char* key,
                             std::uint64_t highest = std::numeric_limits<T>::max()) {
  const auto field = message.find(key);
  if (field == message.end() || !field->is_number_unsigned() || field->get<std::uint64_t>() > highest) {
    return std::nullopt;
  }
  return static_cast<T>(field->get<std::uint64_t>());
}

std::optional<bool> truth_field(const json& message, const char* key) {
  const auto field = message.find(key);
  if (field == message.end() || !field->is_boolean()) {
    return std::nullopt;
  }
  return field->get<bool>();
}

// Zero where there is none; absent where it is no address.
std::optional<MacAddress> mac_field(const json& message, const char* key) {
  const auto field = message.find(key);
  if (field == message.end()) {
    return MacAddress{};
  }
  return field->is_string() ? drivers::parse_mac(field->get<std::string>()) : std::nullopt;
}

const json& object_field(const json& message, const char* key) {
  static const json empty = json::object();
  const auto field = message.find(key);
  return field != message.end() && field->is_object() ? *field : empty;
}

}  // namespace

bool is_type(const json& message, const char* type) {
  return text_field(message, "type") == type;
}

std::string text_field(const json& message, const char* key) {
  const auto field = message.find(key);
  return field != message.end() && field->is_string() ? field->get<std::string>() : std::string();
}

json error_message(const std::string& reason) {
  return text_message("error", "reason", reason);
}

json text_message(const char* type, const char* key, const std::string& text) {
  return json{{"type", type}, {key, text}};
}

json to_json(const Hello& hello) {
  return json{{"type", "hello"}, {"version", hello.version}};
}

std::optional<Hello> read_hello(const json& message) {
  const auto version = whole_field<std::uint16_t>(message, "version");
  if (!is_type(message, "hello") || !version) {
    return std::nullopt;
  }
  return Hello{*version};
}

json to_json(const Arm& arm) {
  json message{{"type", "arm"},
               {"protocol", name_of(arm.protocol)},
               {"message_bytes", arm.message_bytes},
               {"data_port", arm.data_port},
               {"spacing_ns", static_cast<std::uint64_t>(arm.spacing.ns())},
               {"rests", arm.rests}};
  if (!arm.data_address.empty()) {
    message["data_address"] = arm.data_address;
  }
  if (!arm.data_mac.is_zero()) {
    message["data_mac"] = drivers::mac_text(arm.data_mac);
  }
  return message;
}

std::optional<Arm> read_arm(const json& message) {
  const auto protocol = parse_protocol(text_field(message, "protocol"));
  const auto data_port = whole_field<std::uint16_t>(message, "data_port");
  const auto spacing = whole_field<std::int64_t>(message, "spacing_ns", 3'600'000'000'000);
  const auto rests = truth_field(message, "rests");
  if (!is_type(message, "arm") || !protocol || !data_port || !spacing || !rests) {
    return std::nullopt;
  }
  const auto message_bytes = whole_field<std::uint32_t>(message, "message_bytes", message_bytes_max(*protocol));
  if (!message_bytes || *message_bytes == 0 || (*protocol == Protocol::udp && *data_port == 0)) {
    return std::nullopt;
  }
  const std::optional<MacAddress> data_mac = mac_field(message, "data_mac");
  if (!data_mac || (*protocol == Protocol::eth && !data_mac->is_station())) {
    return std::nullopt;
  }
  return Arm{*protocol,  *message_bytes,
             *data_port, text_field(message, "data_address"),
             *data_mac,  Duration::from_ns(*spacing),
             *rests};
}

json to_json(const Connect& connect) {
  json message{{"type", "connect"}, {"session", hex_text(connect.session)}, {"data_port", connect.data_port}};
  if (!connect.data_address.empty()) {
    message["data_address"] = connect.data_address;
  }
  if (!connect.data_mac.is_zero()) {
    message["data_mac"] = drivers::mac_text(connect.data_mac);
  }
  return message;
}

std::optional<Connect> read_connect(const json& message) {
  const auto session = parse_hex(text_field(message, "session"));
  const auto data_port = whole_field<std::uint16_t>(message, "data_port");
  const auto data_mac = mac_field(message, "data_mac");
  if (!is_type(message, "connect") || !session || !data_port || !data_mac ||
      (*data_port == 0) != data_mac->is_station()) {
    return std::nullopt;
  }
  return Connect{*session, *data_port, text_field(message, "data_address"), *data_mac};
}

json to_json(const Armed& armed) {
  return json{{"type", "armed"},
              {"end", report::to_json(armed.end)},
              {"driver", armed.driver},
              {"wait", name_of(armed.wait)},
              {"realtime", armed.realtime}};
}

std::optional<Armed> read_armed(const json& message) {
  const auto wait = parse_wait(text_field(message, "wait"));
  const auto end = report::end_record_from_json(object_field(message, "end"), "control");
  const std::string driver = text_field(message, "driver");
  const auto realtime = truth_field(message, "realtime");
  if (!is_type(message, "armed") || !wait || !end || driver.empty() || !realtime) {
    return std::nullopt;
  }
  return Armed{end.value(), driver, *wait, *realtime};
}

json to_json(const ServerReport& report) {
  return json{{"type", "report"},
              {"accounting", report::to_json(report.accounting)},
              {"window", report::to_json(report.window)},
              {"port", report.port},
              {"blocked_waits", report.blocked_waits},
              {"notes", report.notes}};
}

std::optional<ServerReport> read_report(const json& message) {
  const auto accounting = report::server_accounting_from_json(object_field(message, "accounting"), "control");
  const auto window = report::window_record_from_json(object_field(message, "window"), "control");
  const auto blocked_waits = whole_field<std::uint64_t>(message, "blocked_waits");
  if (!is_type(message, "report") || !accounting || !window || !blocked_waits) {
    return std::nullopt;
  }
  report::Notes notes;
  for (const auto& [key, reason] : object_field(message, "notes").items()) {
    if (reason.is_string()) {
      notes[key] = reason.get<std::string>();
    }
  }
  return ServerReport{accounting.value(), window.value(), object_field(message, "port"), *blocked_waits, notes};
}

std::optional<std::uint64_t> read_nonce(const json& message) {
  if (!is_type(message, "probe")) {
    return std::nullopt;
  }
  return parse_hex(text_field(message, "nonce"));
}

}  // namespace rtecho::pair

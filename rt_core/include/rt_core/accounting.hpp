// What became of every message and every frame. The equations hold after any run, whatever happened in it; each
// side of an equation is counted at a place of its own, so that a forgotten path shows.
#pragma once

#include <cstdint>

namespace rtecho {

struct ClientAccounting {
  // Attempts. Warm-up and resume messages are attempts like any other; how many they were stands below.
  std::uint64_t attempted = 0;
  std::uint64_t sent = 0;
  std::uint64_t refused = 0;  // the driver did not take it within the slot's budget
  std::uint64_t skipped = 0;  // the slot had passed (--missed skip)

  // What became of the sent ones.
  std::uint64_t answered = 0;
  std::uint64_t late = 0;  // answered after the timeout
  std::uint64_t lost = 0;
  std::uint64_t unresolved = 0;  // in flight when the run was interrupted

  // Frames that arrived; answered, late and these five add up to it.
  std::uint64_t frames = 0;
  std::uint64_t duplicate = 0;
  std::uint64_t corrupt = 0;    // ours, but the content was altered
  std::uint64_t malformed = 0;  // truncated, wrong length, not our header
  std::uint64_t stray = 0;      // well formed, of another session or no reply

  // Properties of messages counted above.
  std::uint64_t reordered = 0;     // answered before a message sent earlier
  std::uint64_t late_untimed = 0;  // late, so old that no send stamp was left
  std::uint64_t warmup = 0;        // attempted as warm-up
  std::uint64_t resume = 0;        // attempted directly after a rest

  [[nodiscard]] constexpr bool holds() const {
    return attempted == sent + refused + skipped && sent == answered + late + lost + unresolved &&
           frames == answered + late + duplicate + corrupt + malformed + stray;
  }
  // The "errors" column of the published table.
  [[nodiscard]] constexpr std::uint64_t errors() const { return corrupt + malformed + refused; }

  friend constexpr bool operator==(const ClientAccounting&, const ClientAccounting&) = default;
};

struct ServerAccounting {
  std::uint64_t frames = 0;
  std::uint64_t requests = 0;  // distinct requests of the armed session
  std::uint64_t repeated = 0;  // requests seen before: answered again, as an echo must
  std::uint64_t malformed = 0;
  std::uint64_t unarmed = 0;  // well formed, but of no session that is armed here
  std::uint64_t replies = 0;
  std::uint64_t reply_refused = 0;  // the driver did not take the reply

  [[nodiscard]] constexpr bool holds() const {
    return frames == requests + repeated + malformed + unarmed && requests + repeated == replies + reply_refused;
  }

  friend constexpr bool operator==(const ServerAccounting&, const ServerAccounting&) = default;
};

// Where the lost ones went. `up` = requests that never reached the server.
struct LossSplit {
  std::uint64_t up = 0;
  std::uint64_t down = 0;
};

// Needs both halves, and a run that was not interrupted. Where the server saw more distinct requests than the
// client thinks it sent, or more were lost on the way up than are missing, the halves do not belong together.
[[nodiscard]] constexpr bool split_loss(const ClientAccounting& client, const ServerAccounting& server,
                                        LossSplit& out) {
  if (client.unresolved != 0 || server.requests > client.sent) {
    return false;
  }
  const std::uint64_t up = client.sent - server.requests;
  if (up > client.lost) {
    return false;
  }
  out = LossSplit{up, client.lost - up};
  return true;
}

}  // namespace rtecho

// The key that the two ends may share (--key-file): proof of it is an HMAC-SHA-256 over the server's nonce.
#pragma once

#include <string>
#include <string_view>

namespace rtecho::pair {

inline constexpr std::size_t key_bytes_min = 16;
inline constexpr std::size_t key_bytes_max = 4'096;

// The file's bytes without the newline at the end. Throws ProgramFailure: unreadable, too short, or readable by
// other users than its owner.
[[nodiscard]] std::string read_key_file(const std::string& path);

// 64 hexadecimal digits.
[[nodiscard]] std::string proof_of(std::string_view key, std::string_view nonce);

// In the same time whatever the difference is.
[[nodiscard]] bool same_proof(std::string_view a, std::string_view b);

}  // namespace rtecho::pair

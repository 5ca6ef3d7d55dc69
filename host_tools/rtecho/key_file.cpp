#include "key_file.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#ifdef RTECHO_HAS_OPENSSL
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#endif

#include "report/program_failure.hpp"
#include "report/text_file.hpp"

namespace rtecho::pair {

using report::ExitCode;
using report::ProgramFailure;

#ifdef RTECHO_HAS_OPENSSL

std::string read_key_file(const std::string& path) {
  namespace fs = std::filesystem;
  auto text = report::read_text_file(path);
  if (!text) {
    throw ProgramFailure(ExitCode::machine_refused, fmt::format("--key-file: {}", text.failure().sentence));
  }
  std::error_code error;
  const fs::perms others = fs::perms::group_all | fs::perms::others_all;
  if ((fs::status(path, error).permissions() & others) != fs::perms::none || error) {
    throw ProgramFailure(ExitCode::usage, fmt::format("--key-file: others can read {}; chmod 600 it", path));
  }
  std::string key = std::move(text).value();
  while (!key.empty() && (key.back() == '\n' || key.back() == '\r')) {
    key.pop_back();
  }
  if (key.size() < key_bytes_min || key.size() > key_bytes_max) {
    throw ProgramFailure(ExitCode::usage, fmt::format("--key-file: {} holds {} bytes; a key has {} to {}", path,
                                                      key.size(), key_bytes_min, key_bytes_max));
  }
  return key;
}

std::string proof_of(std::string_view key, std::string_view nonce) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int digest_bytes = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(nonce.data()),
       nonce.size(), digest.data(), &digest_bytes);
  std::string text;
  for (unsigned int i = 0; i < digest_bytes; ++i) {
    text += fmt::format("{:02x}", digest[i]);
  }
  return text;
}

bool same_proof(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

#else

std::string read_key_file(const std::string&) {
  throw ProgramFailure(ExitCode::usage, "--key-file: this build has no OpenSSL; install libssl-dev and build again");
}

std::string proof_of(std::string_view, std::string_view) {
  return {};
}
bool same_proof(std::string_view, std::string_view) {
  return false;
}

#endif

}  // namespace rtecho::pair

# Libraries from the distribution (docs/architecture.md, "Dependencies"). None of them reaches rt_core.
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS filesystem)
find_package(CLI11 2.1 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(tomlplusplus 3.3 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(ZLIB REQUIRED)

# HMAC for --key-file. AUTO: without the library the option is refused with a sentence that says so.
find_package(OpenSSL COMPONENTS Crypto)
if(NOT OpenSSL_FOUND)
  message(STATUS "OpenSSL not found: --key-file is off (Debian: libssl-dev)")
endif()

if(RTECHO_BUILD_TESTS)
  find_package(GTest 1.12 REQUIRED)
  include(GoogleTest)
  enable_testing()
  find_package(benchmark QUIET)
  if(NOT benchmark_FOUND)
    message(STATUS "Google Benchmark not found: tests/bench is off (Debian: libbenchmark-dev)")
  endif()
endif()

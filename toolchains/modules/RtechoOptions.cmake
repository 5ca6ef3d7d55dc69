# Options of the build, and the one place where compiler flags are decided.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

option(RTECHO_BUILD_TESTS "Build the tests" ON)
option(RTECHO_WERROR "Treat warnings as errors" OFF)
option(RTECHO_FREESTANDING "Build rt_core alone, without a hosted standard library" OFF)
option(RTECHO_FUZZ "Build the fuzz targets (needs clang)" OFF)
option(RTECHO_ABORT_ON_ALLOCATION "Abort where the armed allocation guard sees a heap call (test builds)" OFF)
set(RTECHO_PCAP AUTO CACHE STRING "Frames through libpcap: AUTO (where it is found), ON (or no build), OFF")
set_property(CACHE RTECHO_PCAP PROPERTY STRINGS AUTO ON OFF)
set(RTECHO_SANITIZE "" CACHE STRING "Sanitizers of the whole build, for example address,undefined")

# Flags that hold for everything that the project compiles.
add_library(rtecho_flags INTERFACE)
target_compile_options(rtecho_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wundef -Wnon-virtual-dtor
  -Wold-style-cast -Wcast-align -Wformat=2 -Wvla)
if(RTECHO_WERROR)
  target_compile_options(rtecho_flags INTERFACE -Werror)
endif()
if(RTECHO_SANITIZE)
  add_compile_options(-fsanitize=${RTECHO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${RTECHO_SANITIZE})
endif()
if(RTECHO_FUZZ)
  # Parsers are instrumented too, so that the fuzzer sees their branches.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Libraries, programs and tests are declared through these functions. Each library has a layer, and a
# link to an equal or a higher layer is refused at configure time: arrows point down only.
#
#   0 rt_core    1 platform, report    2 drivers    3 programs    4 tests

function(rtecho_check_layers name layer)
  foreach(link IN LISTS ARGN)
    if(TARGET ${link})
      get_target_property(link_layer ${link} RTECHO_LAYER)
      if(NOT link_layer STREQUAL "link_layer-NOTFOUND" AND NOT link_layer LESS layer)
        message(FATAL_ERROR
          "${name} (layer ${layer}) must not link ${link} (layer ${link_layer}): arrows point down only, "
          "see docs/architecture.md")
      endif()
    endif()
  endforeach()
endfunction()

# rtecho_add_library(NAME n LAYER l [SOURCES …] [HEADERS …] [LINKS …] [PRIVATE_LINKS …])
# HEADERS are relative to the folder's own include root and are each compiled alone.
function(rtecho_add_library)
  cmake_parse_arguments(arg "" "NAME;LAYER" "SOURCES;HEADERS;LINKS;PRIVATE_LINKS" ${ARGN})
  rtecho_check_layers(${arg_NAME} ${arg_LAYER} ${arg_LINKS} ${arg_PRIVATE_LINKS})
  if(arg_SOURCES)
    add_library(${arg_NAME} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${arg_NAME} PRIVATE rtecho_flags ${arg_PRIVATE_LINKS})
  else()
    add_library(${arg_NAME} INTERFACE)
    set(scope INTERFACE)
  endif()
  list(TRANSFORM arg_HEADERS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/include/")
  target_sources(${arg_NAME} ${scope} FILE_SET HEADERS
    BASE_DIRS "${CMAKE_CURRENT_SOURCE_DIR}/include" FILES ${arg_HEADERS})
  target_link_libraries(${arg_NAME} ${scope} ${arg_LINKS})
  set_target_properties(${arg_NAME} PROPERTIES RTECHO_LAYER ${arg_LAYER} VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()

# rtecho_add_program(NAME n [OUTPUT file-name] [FOLDER f] SOURCES … LINKS …)
function(rtecho_add_program)
  cmake_parse_arguments(arg "" "NAME;OUTPUT" "SOURCES;LINKS" ${ARGN})
  rtecho_check_layers(${arg_NAME} 3 ${arg_LINKS})
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE rtecho_flags ${arg_LINKS})
  set_target_properties(${arg_NAME} PROPERTIES RTECHO_LAYER 3 RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  if(arg_OUTPUT)
    set_target_properties(${arg_NAME} PROPERTIES OUTPUT_NAME ${arg_OUTPUT})
  endif()
endfunction()

# rtecho_add_gtest(NAME n LABEL l SOURCES … LINKS …): one GoogleTest program, one CTest entry per test. The target
# sanitizer_tests builds those that are worth a run under sanitizers, and only what they need.
function(rtecho_add_gtest)
  cmake_parse_arguments(arg "" "NAME;LABEL" "SOURCES;LINKS" ${ARGN})
  rtecho_check_layers(${arg_NAME} 4 ${arg_LINKS})
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE rtecho_flags ${arg_LINKS} GTest::gtest_main)
  set_target_properties(${arg_NAME} PROPERTIES RTECHO_LAYER 4)
  gtest_discover_tests(${arg_NAME} PROPERTIES LABELS ${arg_LABEL} DISCOVERY_TIMEOUT 60)
  if(arg_LABEL MATCHES "^(unit|contract|simulation)$")
    if(NOT TARGET sanitizer_tests)
      add_custom_target(sanitizer_tests)
    endif()
    add_dependencies(sanitizer_tests ${arg_NAME})
  endif()
endfunction()

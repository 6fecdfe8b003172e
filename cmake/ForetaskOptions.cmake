# SPDX-License-Identifier: Apache-2.0
# Language level, output folders, warnings and the sanitizers that the presets ask for.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

include(GNUInstallDirs)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
# Programs find lib/ in the build folder and after installation alike, by the same run path. Where CMake changes the
# path at installation it makes room with empty entries, and an empty entry loads libraries from the working directory.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)  # absolute folders of libraries that are not the system's
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib")
if(NOT CMAKE_INSTALL_LIBDIR STREQUAL "lib")
  list(PREPEND CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  # Files with a precompiled header are kept too, and another checkout beside this one finds what this one has built.
  cmake_path(GET PROJECT_SOURCE_DIR PARENT_PATH checkouts)
  set(CMAKE_C_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${checkouts}"
    CCACHE_SLOPPINESS=pch_defines,time_macros "${CCACHE_PROGRAM}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_C_COMPILER_LAUNCHER}")
endif()

option(FORETASK_BUILD_TESTS "Build the tests" ON)
option(FORETASK_BUILD_EXAMPLES "Build the example programs" ON)
option(FORETASK_BUILD_BENCHMARKS "Build the benchmarks" ON)
option(FORETASK_WERROR "Treat warnings as errors" OFF)
option(FORETASK_FUZZ "Build the fuzz targets with libFuzzer (needs Clang)" OFF)
set(FORETASK_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize takes them")

add_library(foretask_flags INTERFACE)
target_compile_options(foretask_flags INTERFACE -Wall -Wextra -Wshadow -Wno-missing-field-initializers)
# GCC 12 takes "text" + std::string for overlapping copies (GCC bug 105651).
target_compile_options(foretask_flags INTERFACE "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>")
if(FORETASK_WERROR)
  target_compile_options(foretask_flags INTERFACE -Werror)
endif()
# Layers whose code runs on a program's threads: their stacks may be a few KiB. Larger things lie on the heap, or are done aside
# (src/base/run_aside.hpp). Of optimised code: else a frame has each variable by itself.
add_library(foretask_small_frames INTERFACE)
if(NOT FORETASK_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_options(foretask_small_frames INTERFACE
    "$<IF:$<CXX_COMPILER_ID:GNU>,-Werror=frame-larger-than=2048,-Wframe-larger-than=2048;-Werror=frame-larger-than>")
endif()
# A C++ library of its own, which nobody else sees. What is loaded into a program brings no other one: the program's
# operator new is the program's, and counts what the program asks for. The command runs on systems with an older one.
add_library(foretask_own_libraries INTERFACE)
if(NOT FORETASK_SANITIZE)
  target_link_options(foretask_own_libraries INTERFACE -static-libstdc++ -static-libgcc
    LINKER:--exclude-libs,libstdc++.a:libgcc.a:libgcc_eh.a)
  target_sources(foretask_own_libraries INTERFACE "${PROJECT_SOURCE_DIR}/src/base/older_systems.cpp")
endif()
# Linked with an older C library, foretask runs with that one and newer ones. Its headers are not used: what they declare
# in another way is in src/base/older_systems.cpp.
set(FORETASK_C_LIBRARY "" CACHE PATH "Where an older C library was unpacked (scripts/archive)")
set(FORETASK_C_LIBRARY_OPTIONS)
if(FORETASK_C_LIBRARY)
  set(folder "${FORETASK_C_LIBRARY}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
  set(FORETASK_C_LIBRARY_OPTIONS "-Wl,--sysroot=${FORETASK_C_LIBRARY}" "-B${folder}" "-L${folder}"
    -Wl,--allow-shlib-undefined)
  add_link_options(${FORETASK_C_LIBRARY_OPTIONS})
  list(APPEND FORETASK_C_LIBRARY_OPTIONS -Wl,--as-needed -ldl -lpthread)
  link_libraries(-Wl,--as-needed dl pthread)
endif()
if(FORETASK_SANITIZE)
  add_compile_options(-fsanitize=${FORETASK_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FORETASK_SANITIZE})
  add_compile_definitions(FORETASK_HAS_SANITIZER)
  if(FORETASK_SANITIZE MATCHES "address")
    add_compile_definitions(FORETASK_ADDRESS_SANITIZER)
  endif()
  if(FORETASK_SANITIZE MATCHES "thread")
    add_compile_definitions(FORETASK_THREAD_SANITIZER)
  endif()
endif()

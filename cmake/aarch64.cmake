# SPDX-License-Identifier: Apache-2.0
# Toolchain file: for AArch64, on another machine with Debian's cross compilers. FORETASK_SYSROOT is an arm64 root that
# has the libraries (scripts/arm64 makes one). Tests compile programs by these compilers as well, in the root, where the
# same names are the native ones: so each is a script that knows where it runs.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)  # notes of what GCC 10 changed
set(FORETASK_SYSROOT "$ENV{FORETASK_SYSROOT}" CACHE PATH "An arm64 root with the libraries")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES FORETASK_SYSROOT)

set(triple aarch64-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE ${triple})
set(CMAKE_FIND_ROOT_PATH "${FORETASK_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(FORETASK_NODE_MODULES /usr/share/nodejs CACHE PATH "")  # the build's own, as its programs
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${FORETASK_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR} "${FORETASK_SYSROOT}/usr/lib/${triple}/pkgconfig:${FORETASK_SYSROOT}/usr/share/pkgconfig")

foreach(tool AR NM OBJCOPY OBJDUMP RANLIB READELF STRIP)
  string(TOLOWER "${tool}" name)
  set(CMAKE_${tool} "/usr/bin/${triple}-${name}" CACHE FILEPATH "")
endforeach()
set(compilers "${CMAKE_BINARY_DIR}/compilers")
foreach(name gcc g++ clang clang++)
  if(name MATCHES "^g")
    set(cross "${triple}-${name} --sysroot=${FORETASK_SYSROOT}")
  else()
    set(cross "${name} --target=${triple} --sysroot=${FORETASK_SYSROOT}")
    # libomp, where Debian keeps LLVM's libraries.
    file(GLOB llvm "${FORETASK_SYSROOT}/usr/lib/llvm-*/lib")
    list(TRANSFORM llvm PREPEND " -L")
    string(APPEND cross ${llvm} " -Wno-unused-command-line-argument")
  endif()
  file(CONFIGURE OUTPUT "${compilers}/${name}" NEWLINE_STYLE UNIX @ONLY CONTENT [[#!/bin/sh
[ "$(uname -m)" = aarch64 ] && exec @name@ "$@"
exec @cross@ "$@"
]])
  file(CHMOD "${compilers}/${name}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
endforeach()
set(CMAKE_C_COMPILER "${compilers}/gcc")
set(CMAKE_CXX_COMPILER "${compilers}/g++")
set(FORETASK_GCC_C "${compilers}/gcc" CACHE FILEPATH "")
set(FORETASK_GXX "${compilers}/g++" CACHE FILEPATH "")
set(FORETASK_CLANG_C "${compilers}/clang" CACHE FILEPATH "")
set(FORETASK_CLANGXX "${compilers}/clang++" CACHE FILEPATH "")

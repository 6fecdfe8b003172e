# SPDX-License-Identifier: Apache-2.0
# Packs the archive, unpacks it in a folder whose name has a blank, and records a program with it. CPack checks the
# versions of the C library that its files ask for (cmake/archive/check.cmake); scripts/try_archive tries other systems.
# cmake -DBUILD=DIR -DSCRATCH=DIR -DCPACK=cpack -DPROGRAM=FILE -P archive_test.cmake
cmake_minimum_required(VERSION 3.25)

include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}/my tools")
run(packed "${CPACK}" -G TGZ --config "${BUILD}/CPackConfig.cmake" -B "${SCRATCH}")
file(GLOB archive "${SCRATCH}/*.tar.gz")
file(SIZE "${archive}" bytes)
if(bytes GREATER 31457280)
  message(SEND_ERROR "the archive has ${bytes} bytes, more than 30 MiB")
endif()
run(ignored "${CMAKE_COMMAND}" -E chdir "${SCRATCH}/my tools" "${CMAKE_COMMAND}" -E tar xf "${archive}")
file(GLOB unpacked "${SCRATCH}/my tools/*")
foreach(variable LD_LIBRARY_PATH LD_PRELOAD)
  list(APPEND unset "--unset=${variable}")
endforeach()
run(said "${CMAKE_COMMAND}" -E env ${unset} OMP_NUM_THREADS=2 "${unpacked}/bin/foretask" record --out "${SCRATCH}/run" --
  "${PROGRAM}" 10)
if(NOT said MATCHES "fib.10. = 55")
  message(SEND_ERROR "the recorded program said: ${said}")
endif()
run(report "${unpacked}/bin/foretask" report "${SCRATCH}/run" --json)
string(JSON tasks GET "${report}" tasks)
if(NOT tasks EQUAL 176)  # two for each of the 88 calls of fib above its leaves
  message(SEND_ERROR "${tasks} tasks were recorded, not 176")
endif()
file(REMOVE_RECURSE "${SCRATCH}")

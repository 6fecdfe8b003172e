# SPDX-License-Identifier: Apache-2.0
# Installs the build into SCRATCH and builds a consumer with find_package and with pkg-config.
# cmake -DBUILD=DIR -DSCRATCH=DIR -DSOURCE=DIR -DC=cc -DCXX=c++ -DFLAGS=... -DGENERATOR=... -P consumer_test.cmake
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

function(expect what actual wanted)
  if(NOT actual STREQUAL wanted)
    message(FATAL_ERROR "${what}: expected\n${wanted}\ngot\n${actual}")
  endif()
endfunction()

file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}")
set(prefix "${SCRATCH}/first place")  # a path with a space
run(ignored "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")
# An installation may be moved.
set(moved "${SCRATCH}/installed")
file(RENAME "${prefix}" "${moved}")
run(ignored "${CMAKE_COMMAND}" "-DREADELF=readelf" "-DFOLDERS=${moved}/bin;${moved}/lib;${moved}/lib/foretask"
  -P "${SOURCE}/../../lint/run_paths.cmake")
file(WRITE "${SCRATCH}/graph.jsonl" "{\"foretask_graph\": 1, \"time_unit\": \"ms\"}
{\"id\": 0, \"kernel\": \"a\", \"duration\": 1}
{\"id\": 1, \"kernel\": \"b\", \"duration\": 3, \"after\": [0]}
{\"id\": 2, \"kernel\": \"b\", \"duration\": 1, \"after\": [0]}
")
set(prediction "1 cores 5000000 ns\n2 cores 4000000 ns\n")

# find_package, of the installation and of the build folder
foreach(found "${moved}" "${BUILD}")
  file(REMOVE_RECURSE "${SCRATCH}/build")
  run(ignored "${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${SOURCE}" -B "${SCRATCH}/build" "-DCMAKE_PREFIX_PATH=${found}"
    "-DCMAKE_C_COMPILER=${C}" "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CXX_FLAGS=${FLAGS}" "-DCMAKE_C_FLAGS=${FLAGS}")
  run(ignored "${CMAKE_COMMAND}" --build "${SCRATCH}/build")
  run(output "${SCRATCH}/build/predict" "${SCRATCH}/graph.jsonl")
  expect("find_package in ${found}" "${output}" "${prediction}")
  run(output "${SCRATCH}/build/version")
  expect("the C interface in ${found}" "${output}" "foretask ${VERSION}, recording: 0\n")
endforeach()

# pkg-config
file(GLOB_RECURSE package_file "${moved}/*/foretask-analysis.pc")
get_filename_component(package_folder "${package_file}" DIRECTORY)
get_filename_component(library_folder "${package_folder}" DIRECTORY)
separate_arguments(flags UNIX_COMMAND "${FLAGS}")
run(options "${CMAKE_COMMAND}" -E env "PKG_CONFIG_PATH=${package_folder}" pkg-config --cflags --libs foretask-analysis)
separate_arguments(options UNIX_COMMAND "${options}")
run(ignored "${CXX}" -std=c++20 ${flags} "${SOURCE}/predict.cpp" -o "${SCRATCH}/predict" ${options}
  "-Wl,-rpath,${library_folder}")
run(output "${SCRATCH}/predict" "${SCRATCH}/graph.jsonl")
expect("pkg-config" "${output}" "${prediction}")
run(options "${CMAKE_COMMAND}" -E env "PKG_CONFIG_PATH=${package_folder}" pkg-config --cflags --libs foretask)
separate_arguments(options UNIX_COMMAND "${options}")
run(ignored "${C}" ${flags} "${SOURCE}/version.c" -o "${SCRATCH}/version" ${options} "-Wl,-rpath,${library_folder}")
run(output "${SCRATCH}/version")
expect("pkg-config, C" "${output}" "foretask ${VERSION}, recording: 0\n")

# The command, where it was moved to.
run(output "${moved}/bin/foretask" simulate "${SCRATCH}/graph.jsonl" --cores 2 --json)
string(JSON makespan GET "${output}" runs 0 makespan_ns)
expect("bin/foretask" "${makespan}" "4000000")

# SPDX-License-Identifier: Apache-2.0
# The check must name each wrong include and each wrong link of a tree made for it, and no right one.
execute_process(COMMAND "${CMAKE_COMMAND}" "-DROOT=${CMAKE_CURRENT_LIST_DIR}/wrong_tree"
  -P "${CMAKE_CURRENT_LIST_DIR}/include_directions.cmake" RESULT_VARIABLE status OUTPUT_VARIABLE output
  ERROR_VARIABLE output)
if(status EQUAL 0)
  message(SEND_ERROR "the wrong tree passed")
endif()
string(REGEX REPLACE "[ \n]+" " " output "${output}")  # CMake breaks long lines

function(expect what)
  string(FIND "${output}" "${what}" at)
  if(at EQUAL -1)
    message(SEND_ERROR "not found: ${what}\n${output}")
  endif()
endfunction()

expect("src/base/upward.hpp: #include graph/strands.hpp: base may not include graph")
expect("src/simulate/sideways.hpp: #include report/units.hpp: simulate may not include report")
expect("src/cli/through.hpp: #include simulate/cores/quad_heap.hpp: cli may not include simulate")
expect("src/predict/growth/sub_folder.hpp: #include predict/program/bounds.hpp: predict/growth may not include predict/program")
expect("src/nobody/unknown_folder.hpp: its folder is not in the table")
expect("src/graph/parent.hpp: #include ../base/clock.hpp: goes up with ../")
expect("include/foretask/private.hpp: #include base/clock.hpp: a public header names a private one")
expect("runtime_hooks/ompt/private.hpp: #include runtime/recording/session.hpp: only public headers may be named here")

expect("src/graph/library.hpp: #include elfutils/libdw.h: libdw has no place here")
expect("src/graph/fmt.hpp: #include fmt/format.h: fmt has no place here")
expect("src/simulate/json.hpp: #include nlohmann/json.hpp: json has no place here")
expect("src/report/zlib.hpp: #include zlib.h: zlib has no place here")

expect("src/graph/CMakeLists.txt: foretask_graph links foretask_report, which it may not include")
expect("src/graph/CMakeLists.txt: foretask_graph links Eigen3::Eigen and includes nothing of it")
expect("src/report/CMakeLists.txt: foretask_report does not link PkgConfig::FMT")
expect("src/simulate/CMakeLists.txt: foretask_simulate does not link foretask_graph")
expect("runtime_hooks/ompt/CMakeLists.txt: a hook links libforetask alone")

foreach(right "right.hpp: " "foretask_report does not link foretask_base" "foretask_trace ")
  string(FIND "${output}" "${right}" at)
  if(NOT at EQUAL -1)
    message(SEND_ERROR "named, but right: ${right}\n${output}")
  endif()
endforeach()

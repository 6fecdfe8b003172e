# SPDX-License-Identifier: Apache-2.0
# The check must name each wrong include of a tree made for it, and no right one.
execute_process(COMMAND "${CMAKE_COMMAND}" "-DROOT=${CMAKE_CURRENT_LIST_DIR}/wrong_tree"
  -P "${CMAKE_CURRENT_LIST_DIR}/include_directions.cmake" RESULT_VARIABLE status OUTPUT_VARIABLE output
  ERROR_VARIABLE output)
if(status EQUAL 0)
  message(SEND_ERROR "the wrong tree passed")
endif()
foreach(wrong src/base/upward.hpp src/simulate/sideways.hpp src/cli/through.hpp src/graph/library.hpp
    src/graph/parent.hpp include/foretask/private.hpp runtime_hooks/ompt/private.hpp)
  string(FIND "${output}" "${wrong}: #include" at)
  if(at EQUAL -1)
    message(SEND_ERROR "${wrong} is not named in:\n${output}")
  endif()
endforeach()
string(FIND "${output}" "right.hpp" at)
if(NOT at EQUAL -1)
  message(SEND_ERROR "a right include is named in:\n${output}")
endif()

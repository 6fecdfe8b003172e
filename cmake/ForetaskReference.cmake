# SPDX-License-Identifier: Apache-2.0
# The target docs: pages of the public headers, in reference/html of the build folder.
find_program(FORETASK_DOXYGEN doxygen DOC "Makes pages of the public headers")
if(NOT FORETASK_DOXYGEN)
  message(STATUS "foretask: no Doxygen (Debian: doxygen): no target docs")
  return()
endif()
configure_file("${PROJECT_SOURCE_DIR}/docs/reference/Doxyfile.in" "${PROJECT_BINARY_DIR}/reference/Doxyfile" @ONLY)
add_custom_target(docs COMMAND "${FORETASK_DOXYGEN}" "${PROJECT_BINARY_DIR}/reference/Doxyfile" VERBATIM)

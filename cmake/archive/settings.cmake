# SPDX-License-Identifier: Apache-2.0
# For CPack, before each generator. The archive (TGZ) has all components in one folder, but those that need what a
# system may not have: SimGrid, and for the analysis' C++ interface libdw and this compiler's C++ library.
if(CPACK_GENERATOR STREQUAL "TGZ")
  set(CPACK_PACKAGE_FILE_NAME "${CPACK_PACKAGE_FILE_NAME}-${CPACK_FORETASK_PROCESSOR}")
  set(CPACK_PACKAGING_INSTALL_PREFIX "/")
  set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
  list(REMOVE_ITEM CPACK_COMPONENTS_ALL analysis simgrid)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
  set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/check.cmake")
endif()

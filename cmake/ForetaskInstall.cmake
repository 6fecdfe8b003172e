# SPDX-License-Identifier: Apache-2.0
# cmake --install, find_package(foretask) and pkg-config.
include(CMakePackageConfigHelpers)

if(NOT TARGET libforetask OR NOT TARGET libforetask_analysis OR NOT TARGET foretask_command)
  return()
endif()

install(TARGETS foretask_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(TARGETS libforetask libforetask_analysis EXPORT foretask_targets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
# Loaded by name, never linked.
foreach(module foretask_mpi foretask_ompt foretask_simgrid)
  if(TARGET ${module})
    install(TARGETS ${module} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  endif()
endforeach()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/foretask" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/foretask")

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/foretask")
install(EXPORT foretask_targets NAMESPACE foretask:: DESTINATION "${package_dir}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/foretaskConfig.cmake.in"
  "${CMAKE_CURRENT_BINARY_DIR}/foretaskConfig.cmake" INSTALL_DESTINATION "${package_dir}")
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/foretaskConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/foretaskConfig.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/foretaskConfigVersion.cmake" DESTINATION "${package_dir}")

# Relative to the file itself, so that an installation may be moved.
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
else()
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/${CMAKE_INSTALL_INCLUDEDIR}")
  set(PC_INCLUDEDIR "\${pcfiledir}/${up}")
endif()
# foretask.pc for libforetask, foretask-analysis.pc for libforetask_analysis.
set(PC_NAME foretask)
set(PC_LIBRARY foretask)
set(PC_DESCRIPTION "Records task-parallel programs: the C interface")
configure_file("${CMAKE_CURRENT_LIST_DIR}/foretask.pc.in" "${CMAKE_CURRENT_BINARY_DIR}/foretask.pc" @ONLY)
set(PC_NAME foretask-analysis)
set(PC_LIBRARY foretask_analysis)
set(PC_DESCRIPTION "Reads recordings and task graphs, and replays them: the C++ interface")
configure_file("${CMAKE_CURRENT_LIST_DIR}/foretask.pc.in" "${CMAKE_CURRENT_BINARY_DIR}/foretask-analysis.pc" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/foretask.pc" "${CMAKE_CURRENT_BINARY_DIR}/foretask-analysis.pc"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

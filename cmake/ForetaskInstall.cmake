# SPDX-License-Identifier: Apache-2.0
# cmake --install, find_package(foretask) and pkg-config.
include(CMakePackageConfigHelpers)

if(NOT TARGET libforetask OR NOT TARGET libforetask_analysis OR NOT TARGET foretask_command)
  return()
endif()

# Packages (ForetaskPackage.cmake) part what is installed by these names.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME main)
install(TARGETS foretask_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(TARGETS libforetask EXPORT foretask_targets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(TARGETS libforetask_analysis EXPORT foretask_analysis_targets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  COMPONENT analysis)
# Never linked. Those that users may name in the environment lie beside the libraries, those that foretask loads in a
# folder of its own. Those that need a large library are packages of their own.
set(modules ompt main "" gomp main "" tune main "" mpi mpi "" mpich mpich "" starpu starpu "" tbb main "" simgrid simgrid /foretask)
while(modules)
  list(POP_FRONT modules module component folder)
  if(TARGET foretask_${module})
    install(TARGETS foretask_${module} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}${folder}" COMPONENT ${component})
  endif()
endwhile()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/foretask" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  PATTERN analysis EXCLUDE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/foretask/analysis" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/foretask"
  COMPONENT analysis)

# The documents name each other by these folders.
file(GLOB documents "${PROJECT_SOURCE_DIR}/*.md")
install(FILES ${documents} "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE"
  "${PROJECT_SOURCE_DIR}/CITATION.cff" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${CMAKE_INSTALL_DOCDIR}" FILES_MATCHING PATTERN "*.md"
  PATTERN reference EXCLUDE)
if(TARGET foretask_pages)
  install(DIRECTORY "${FORETASK_PAGES_DIR}/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}")
endif()
foreach(shell bash-completion fish zsh)
  install(DIRECTORY "${FORETASK_PAGES_DIR}/${shell}" DESTINATION "${CMAKE_INSTALL_DATADIR}")
endforeach()

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/foretask")
install(EXPORT foretask_targets NAMESPACE foretask:: DESTINATION "${package_dir}")
install(EXPORT foretask_analysis_targets NAMESPACE foretask:: DESTINATION "${package_dir}" COMPONENT analysis)
# The build folder serves find_package(foretask) too, before anything is installed.
foreach(targets foretask_targets foretask_analysis_targets)
  export(EXPORT ${targets} NAMESPACE foretask:: FILE "${CMAKE_CURRENT_BINARY_DIR}/${targets}.cmake")
endforeach()
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/foretaskConfig.cmake.in"
  "${CMAKE_CURRENT_BINARY_DIR}/foretaskConfig.cmake" INSTALL_DESTINATION "${package_dir}")
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/foretaskConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/foretaskConfig.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/foretaskConfigVersion.cmake" DESTINATION "${package_dir}")

# Relative to the file itself, so that an installation may be moved.
foreach(folder INCLUDEDIR DOCDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${folder}}")
    set(PC_${folder} "${CMAKE_INSTALL_${folder}}")
  else()
    file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/${CMAKE_INSTALL_${folder}}")
    set(PC_${folder} "\${pcfiledir}/${up}")
  endif()
endforeach()
# foretask.pc for libforetask, foretask-analysis.pc for libforetask_analysis.
set(PC_NAME foretask)
set(PC_LIBRARY foretask)
set(PC_DESCRIPTION "Records task-parallel programs: the C interface")
configure_file("${CMAKE_CURRENT_LIST_DIR}/foretask.pc.in" "${CMAKE_CURRENT_BINARY_DIR}/foretask.pc" @ONLY)
set(PC_NAME foretask-analysis)
set(PC_LIBRARY foretask_analysis)
set(PC_DESCRIPTION "Reads recordings and task graphs, and replays them: the C++ interface")
configure_file("${CMAKE_CURRENT_LIST_DIR}/foretask.pc.in" "${CMAKE_CURRENT_BINARY_DIR}/foretask-analysis.pc" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/foretask.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/foretask-analysis.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
  COMPONENT analysis)

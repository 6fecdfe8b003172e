# SPDX-License-Identifier: Apache-2.0
# In the build folder: cpack -G DEB makes Debian packages, foretask and one more for each library that only some need;
# cpack -G TGZ an archive that runs where it is unpacked (scripts/archive, for older systems).
set(CPACK_PACKAGE_NAME foretask)
set(CPACK_PACKAGE_VENDOR "The foretask authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "record task-parallel programs and predict their times")
set(CPACK_PACKAGE_DESCRIPTION
  "foretask watches a task-parallel program run, says what holds it back, and\npredicts its time on more cores and larger inputs. The program needs no\nchange. This package has the command, the libraries and their headers.")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_COMPONENTS_ALL main analysis)
# One package; only the archive is without the analysis.
set(CPACK_COMPONENT_MAIN_GROUP main)
set(CPACK_COMPONENT_ANALYSIS_GROUP main)
foreach(module mpi mpich starpu simgrid)
  if(TARGET foretask_${module})
    list(APPEND CPACK_COMPONENTS_ALL ${module})
  endif()
endforeach()
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
if(NOT CPACK_DEBIAN_PACKAGE_MAINTAINER)
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The foretask authors")  # Debian itself asks for an address
endif()
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_MAIN_PACKAGE_NAME foretask)
set(CPACK_DEBIAN_MAIN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_MAIN_PACKAGE_SUGGESTS "libomp5, foretask-mpi, foretask-mpich, foretask-starpu, foretask-simgrid")
set(CPACK_COMPONENT_MAIN_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_COMPONENT_MPI_DESCRIPTION
  "foretask watches a task-parallel program run. This package has what records\nthe messages of Open MPI programs.")
set(CPACK_COMPONENT_MPICH_DESCRIPTION
  "foretask watches a task-parallel program run. This package has what records\nthe messages of programs on MPICH, Intel MPI and Cray MPICH.")
set(CPACK_COMPONENT_STARPU_DESCRIPTION
  "foretask watches a task-parallel program run. This package has what records\nStarPU programs, and what answers StarPU's schedulers.")
set(CPACK_COMPONENT_SIMGRID_DESCRIPTION
  "foretask watches a task-parallel program run. This package has what replays\nit over SimGrid's networks.")
set(CPACK_COMPONENT_MPI_DEPENDS main)
set(CPACK_COMPONENT_MPICH_DEPENDS main)
set(CPACK_COMPONENT_STARPU_DEPENDS main)
set(CPACK_COMPONENT_SIMGRID_DEPENDS main)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
# Where dpkg-shlibdeps (Debian: dpkg-dev) is missing the packages name no libraries.
find_program(FORETASK_SHLIBDEPS dpkg-shlibdeps DOC "Finds the packages that libraries come from")
if(FORETASK_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
endif()
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${CMAKE_CURRENT_LIST_DIR}/debian/triggers")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# What Debian asks for beside what is installed: the packages' copyright files, compressed documents.
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/debian/layout.cmake")
set(CPACK_FORETASK_PROCESSOR "${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_PROJECT_CONFIG_FILE "${CMAKE_CURRENT_LIST_DIR}/archive/settings.cmake")
include(CPack)

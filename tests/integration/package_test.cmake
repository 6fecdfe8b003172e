# SPDX-License-Identifier: Apache-2.0
# Builds the Debian packages, unpacks them and uses what is in them.
# cmake -DBUILD=DIR -DSCRATCH=DIR -DCPACK=cpack -DDPKG_DEB=dpkg-deb -DVERSION=0.1.0 -DNAMES_LIBRARIES=ON
#   -P package_test.cmake
cmake_minimum_required(VERSION 3.25)

include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

# expect_depends(PACKAGE LIBRARY...): these and, of those below, no others.
function(expect_depends package)
  run(depends "${DPKG_DEB}" -f "${package_${package}}" Depends)
  foreach(library libhwloc libfmt libopenmpi libmpich libsimgrid libstarpu "foretask ")
    if(library IN_LIST ARGN AND NOT "${depends}" MATCHES "${library}")
      message(SEND_ERROR "${package} does not depend on ${library}: ${depends}")
    elseif(NOT library IN_LIST ARGN AND "${depends}" MATCHES "${library}")
      message(SEND_ERROR "${package} depends on ${library}: ${depends}")
    endif()
  endforeach()
endfunction()

file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}")
# Without compression: this is about what is in the packages.
run(ignored "${CPACK}" -G DEB --config "${BUILD}/CPackConfig.cmake" -B "${SCRATCH}"
  -D CPACK_DEBIAN_COMPRESSION_TYPE=none)

file(GLOB packages "${SCRATCH}/*.deb")
foreach(file ${packages})
  run(package "${DPKG_DEB}" -f "${file}" Package)
  run(version "${DPKG_DEB}" -f "${file}" Version)
  string(STRIP "${package}" package)
  string(STRIP "${version}" version)
  if(NOT version STREQUAL "${VERSION}-1")
    message(SEND_ERROR "${package} has the version ${version}")
  endif()
  set(package_${package} "${file}")
  run(ignored "${DPKG_DEB}" -x "${file}" "${SCRATCH}/${package}")
  if(NOT EXISTS "${SCRATCH}/${package}/usr/share/doc/${package}/copyright")
    message(SEND_ERROR "${package} has no copyright file")
  endif()
  if(NAMES_LIBRARIES)
    if(package STREQUAL "foretask")
      expect_depends(foretask)
    elseif(package STREQUAL "foretask-mpi")
      expect_depends(foretask-mpi libopenmpi "foretask ")
    elseif(package STREQUAL "foretask-mpich")
      expect_depends(foretask-mpich "foretask ")  # whatever library of that ABI a program brings
    elseif(package STREQUAL "foretask-starpu")
      expect_depends(foretask-starpu libstarpu "foretask ")
    elseif(package STREQUAL "foretask-simgrid")
      expect_depends(foretask-simgrid libsimgrid "foretask ")
    endif()
  endif()
endforeach()
if(NOT package_foretask)
  message(FATAL_ERROR "no package foretask among ${packages}")
endif()

set(root "${SCRATCH}/foretask/usr")
file(GLOB_RECURSE files RELATIVE "${root}" "${root}/*")
foreach(file bin/foretask include/foretask/foretask.h share/man/man1/foretask.1.gz share/man/man1/foretask-record.1.gz
    share/bash-completion/completions/foretask share/zsh/vendor-completions/_foretask
    share/fish/vendor_completions.d/foretask.fish share/doc/foretask/README.md share/doc/foretask/NOTICE
    share/doc/foretask/docs/command_line.md share/doc/foretask/changelog.gz)
  if(NOT file IN_LIST files)
    message(SEND_ERROR "the package foretask has no ${file}")
  endif()
endforeach()
foreach(name libforetask.so libforetask_analysis.so)
  string(REGEX MATCH "^[0-9]+[.][0-9]+" interface "${VERSION}")
  file(GLOB_RECURSE found "${root}/lib*/${name}.${interface}")
  if(NOT found)
    message(SEND_ERROR "the package foretask has no ${name}.${interface}")
  endif()
endforeach()
run(version "${root}/bin/foretask" --version)
if(NOT version STREQUAL "foretask ${VERSION}\n")
  message(SEND_ERROR "bin/foretask --version: ${version}")
endif()
file(REMOVE_RECURSE "${SCRATCH}")
list(LENGTH packages count)
message(STATUS "packages: ${count} unpacked")

# SPDX-License-Identifier: Apache-2.0
# For CPack, before it packs the archive: checks that what is in it runs on a system that has none of the libraries.
file(GLOB_RECURSE files "${CPACK_TEMPORARY_DIRECTORY}/*")

# Symbols as of this version of the C library at most: of RHEL 9, and older than those of Ubuntu 22.04 and Debian 12.
set(most 2.34)
set(found 2.2)
foreach(file ${files})
  if(IS_SYMLINK "${file}" OR NOT file MATCHES "/bin/|\\.so[.0-9]*$|_calibration$")
    continue()
  endif()
  execute_process(COMMAND objdump -p "${file}" OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "NEEDED +[^\n]+" libraries "${text}")
  # The C library's, our own, and those of the runtime that a hook or a calibration's program is for.
  list(FILTER libraries EXCLUDE REGEX
    " (lib(c|m|dl|pthread|foretask|mpi|starpu-1.[34]|omp|gomp|tbb)\\.so[.0-9]*|ld-linux[^ ]*)$")
  if(file MATCHES "/libforetask_tbb\\.so$")
    list(FILTER libraries EXCLUDE REGEX "libgcc_s\\.so")  # oneTBB's programs have it
  endif()
  if(libraries)
    message(FATAL_ERROR "${file} needs ${libraries}, which a system may not have. Are all archives (lib*.a) installed?")
  endif()
  string(REGEX MATCHALL "GLIBC_[0-9.]+" versions "${text}")
  foreach(version ${versions})
    string(REPLACE GLIBC_ "" version "${version}")
    if(version VERSION_GREATER most)
      message(FATAL_ERROR "${file} needs version ${version} of the C library, of which ${most} is the most: see "
        "`objdump -T`, src/base/older_systems.cpp and docs/dependencies.md")
    elseif(version VERSION_GREATER found)
      set(found ${version})
    endif()
  endforeach()
endforeach()
message(STATUS "foretask: the archive runs with version ${found} of the C library and newer ones")

# SPDX-License-Identifier: Apache-2.0
# The tests that record: a program of their own, the small OpenMP programs that it records, and the OpenMP runtimes that
# it records them on. Included where the list integration_tests holds every test of this folder.
list(FILTER integration_tests EXCLUDE REGEX "/(construct|faults|record)_[^/]*_test\\.cpp$")
file(GLOB record_tests CONFIGURE_DEPENDS "construct_*_test.cpp" "faults_*_test.cpp" "record_*_test.cpp")

set(mpis)  # NAME=LAUNCHER of each MPI: the programs NAME_messages and others are built with it
foreach(mpi mpi mpich)
  string(TOUPPER ${mpi} launcher)
  if(TARGET foretask_${mpi} AND FORETASK_${launcher}RUN)
    list(APPEND mpis "${mpi}=${FORETASK_${launcher}RUN}")
  else()
    foretask_missing_tests("recording of MPI programs (${mpi})" integration
      "no Open MPI, or no MPICH, with its launcher (Debian: openmpi-bin, mpich)")
  endif()
endforeach()
list(JOIN mpis "|" mpis)
if(NOT mpis)
  list(FILTER record_tests EXCLUDE REGEX "/record_mpi_test\\.cpp$")
endif()
find_program(FORETASK_MPIFORT NAMES mpifort.openmpi mpifort DOC "Compiles Fortran programs for Open MPI")
find_program(FORETASK_MPICHFORT NAMES mpifort.mpich DOC "Compiles Fortran programs for MPICH")

if(NOT TARGET foretask_starpu)
  list(FILTER record_tests EXCLUDE REGEX "/record_starpu_test\\.cpp$")
  foretask_missing_tests("recording of StarPU programs" integration "no StarPU 1.4 or 1.3 (Debian: libstarpu-dev)")
endif()

if(NOT TBB_FOUND)
  list(FILTER record_tests EXCLUDE REGEX "/record_tbb[a-z_]*_test\\.cpp$")
  foretask_missing_tests("recording of oneTBB programs" integration "no oneTBB 2021.8 (Debian: libtbb-dev)")
endif()

find_program(FORETASK_CLANG_C NAMES clang clang-14 clang-16 DOC "Compiles the recorded test programs for libomp")
find_program(FORETASK_GCC_C NAMES gcc gcc-12 DOC "Compiles the recorded test programs for libgomp")

set(programs_dir "${CMAKE_CURRENT_BINARY_DIR}/programs")
set(programs_source_dir "${CMAKE_CURRENT_SOURCE_DIR}/programs")
file(MAKE_DIRECTORY "${programs_dir}")
file(GLOB program_headers CONFIGURE_DEPENDS "${programs_source_dir}/*.h")
add_custom_target(recorded_programs)

# Builds programs/OUTPUT from programs/NAME.c, or NAME itself where that has an ending; what else is given is for the
# compiler.
function(add_recorded_program output name compiler)
  get_filename_component(ending "${name}" LAST_EXT)
  if(NOT ending)
    string(APPEND name ".c")
  endif()
  set(warnings -Wall -Wextra -Wno-sign-compare)
  if(ending STREQUAL ".F90")
    set(warnings -w)  # Open MPI's mpif.h has hundreds
  endif()
  add_custom_command(OUTPUT "${programs_dir}/${output}"
    COMMAND "${compiler}" -O1 -g ${warnings} "${programs_source_dir}/${name}" -o "${programs_dir}/${output}" ${ARGN}
    DEPENDS "${programs_source_dir}/${name}" ${program_headers}
    COMMENT "Building test program ${output}"
    VERBATIM)
  add_custom_target(recorded_program_${output} DEPENDS "${programs_dir}/${output}")
  add_dependencies(recorded_programs recorded_program_${output})
endfunction()

# RUNTIME_other: a program on a library that has the name of another version of the runtime.
function(add_other_runtime runtime library)
  add_recorded_program(${library} other_runtime "${FORETASK_CLANG_C}" -shared -fPIC -Wl,-soname,${library})
  add_recorded_program(${runtime}_other other_runtime "${FORETASK_CLANG_C}" -Wl,--no-as-needed
    "${programs_dir}/${library}" "-Wl,-rpath,${programs_dir}")
  add_dependencies(recorded_program_${runtime}_other recorded_program_${library})
endfunction()

# code.c with its two libraries, and instances.cpp, at each level of optimisation: PREFIXcode_O2 and so on. What else is
# given links C++.
function(add_code_programs prefix compiler)
  foreach(level O0 O1 O2 O3 flto)
    set(options -fopenmp -${level})
    if(level STREQUAL "flto")
      list(APPEND options -O2)
    endif()
    foreach(library first second)
      add_recorded_program(${prefix}code_${level}_${library}.so code_library "${compiler}" ${options} -shared -fPIC
        -DRUN=run_${library})
    endforeach()
    set(libraries "${programs_dir}/${prefix}code_${level}_first.so" "${programs_dir}/${prefix}code_${level}_second.so")
    add_recorded_program(${prefix}code_${level} code "${compiler}" ${options} ${libraries})
    add_dependencies(recorded_program_${prefix}code_${level} recorded_program_${prefix}code_${level}_first.so
      recorded_program_${prefix}code_${level}_second.so)
    add_recorded_program(${prefix}instances_${level} instances.cpp "${compiler}" ${options} ${ARGN})
  endforeach()
endfunction()

function(check_c_openmp compiler result)
  set(source "${programs_dir}/probe.c")
  file(WRITE "${source}" "#include <omp.h>\nint main(void) { return omp_get_max_threads() > 0 ? 0 : 1; }\n")
  set(status 1)
  if(compiler)
    execute_process(COMMAND "${compiler}" -fopenmp "${source}" -o "${source}.out" RESULT_VARIABLE status OUTPUT_QUIET
      ERROR_QUIET)
  endif()
  if(status EQUAL 0)
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# Other versions of libomp than the one that clang links: installed side by side, or unpacked below
# BUILD/runtimes/NAME (Debian's packages of two versions exclude each other): scripts/fetch_libomp.
set(runtimes "system=")
file(GLOB other_runtimes CONFIGURE_DEPENDS "${CMAKE_BINARY_DIR}/runtimes/*/usr/lib/llvm-*/lib/libomp.so.5")
foreach(libomp IN LISTS other_runtimes)
  get_filename_component(folder "${libomp}" DIRECTORY)
  string(REGEX REPLACE "^.*/llvm-([0-9]+)/lib$" "\\1" version "${folder}")
  string(APPEND runtimes "|${version}=${folder}")
endforeach()

if(NOT other_runtimes)
  foretask_missing_tests("recording on another version of libomp" integration "scripts/fetch_libomp was not run here")
endif()

check_c_openmp("${FORETASK_CLANG_C}" have_clang_openmp)
check_c_openmp("${FORETASK_GCC_C}" have_gcc_openmp)

if(have_clang_openmp)
  file(GLOB program_sources CONFIGURE_DEPENDS "${programs_source_dir}/*.c")
  foreach(source IN LISTS program_sources)
    get_filename_component(name "${source}" NAME_WE)
    if(name MATCHES "_library$" OR name MATCHES "^(code|kernels|annotated|faults|predicted|subtrees|nowait|targets)$")
      continue()
    endif()
    add_recorded_program(${name} ${name} "${FORETASK_CLANG_C}" -fopenmp -fopenmp-version=51 -pthread -ldl)
  endforeach()
endif()
# The same as GCC builds them, for its own runtime. Without optimisation: GCC then says of most constructs where they are.
if(have_clang_openmp AND have_gcc_openmp AND TARGET foretask_gomp)
  string(APPEND runtimes "|libgomp=")
  foreach(source IN LISTS program_sources)
    get_filename_component(name "${source}" NAME_WE)
    if(name MATCHES "_library$" OR name MATCHES "^(code|kernels|annotated|faults|predicted|subtrees|inoutset|nowait)$")
      continue()
    endif()
    add_recorded_program(gcc_${name} ${name} "${FORETASK_GCC_C}" -O0 -Wno-unused-variable -fopenmp -pthread -ldl)
  endforeach()
  foreach(name faults kernels predicted subtrees)
    add_recorded_program(gcc_${name} ${name} "${FORETASK_GCC_C}" -fopenmp -pthread "-I${PROJECT_SOURCE_DIR}/include"
      "-L${CMAKE_LIBRARY_OUTPUT_DIRECTORY}" -lforetask "-Wl,-rpath,${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
    add_dependencies(recorded_program_gcc_${name} libforetask)
  endforeach()
  add_code_programs(gcc_ "${FORETASK_GCC_C}" -lstdc++)
  add_recorded_program(gcc_invoked invoked.cpp "${FORETASK_GCC_C}" -std=c++20 -fopenmp -lstdc++
    "-I${PROJECT_SOURCE_DIR}/include" "-L${CMAKE_LIBRARY_OUTPUT_DIRECTORY}" -lforetask
    "-Wl,-rpath,${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
  add_dependencies(recorded_program_gcc_invoked libforetask)
  # As gfortran calls it.
  add_recorded_program(gcc_fortran_detach detach "${FORETASK_GCC_C}" -O0 -fopenmp -pthread
    -Domp_fulfill_event=omp_fulfill_event_)
  add_recorded_program(gcc_late_library.so late_library "${FORETASK_GCC_C}" -fopenmp -shared -fPIC)
  add_recorded_program(gcc_nowait_library.so nowait_library "${FORETASK_GCC_C}" -shared -fPIC)
  add_recorded_program(gcc_nowait nowait "${FORETASK_GCC_C}" -O0 -fopenmp "${programs_dir}/gcc_nowait_library.so")
  add_dependencies(recorded_program_gcc_nowait recorded_program_gcc_nowait_library.so)
else()
  list(FILTER record_tests EXCLUDE REGEX "/record_gomp_test\\.cpp$")
  foretask_missing_tests("recording of programs on GCC's own runtime" integration "no gcc that links OpenMP")
endif()

if(have_clang_openmp)
  # They call the library: built with it as its users build, and run with it where it lies.
  foreach(name faults kernels predicted subtrees)
    add_recorded_program(${name} ${name} "${FORETASK_CLANG_C}" -fopenmp -pthread "-I${PROJECT_SOURCE_DIR}/include"
      "-L${CMAKE_LIBRARY_OUTPUT_DIRECTORY}" -lforetask "-Wl,-rpath,${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
    add_dependencies(recorded_program_${name} libforetask)
  endforeach()
  # Has no OpenMP at all.
  add_recorded_program(annotated annotated "${FORETASK_CLANG_C}" -pthread "-I${PROJECT_SOURCE_DIR}/include"
    "-L${CMAKE_LIBRARY_OUTPUT_DIRECTORY}" -lforetask "-Wl,-rpath,${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
  add_dependencies(recorded_program_annotated libforetask)
  add_recorded_program(own_jobs own_jobs.cpp "${FORETASK_CLANG_C}" -std=c++20 -pthread -lstdc++
    "-I${PROJECT_SOURCE_DIR}/include" "-L${CMAKE_LIBRARY_OUTPUT_DIRECTORY}" -lforetask
    "-Wl,-rpath,${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
  add_dependencies(recorded_program_own_jobs libforetask)
  # Taskflow is a folder of headers.
  find_path(FORETASK_TASKFLOW NAMES taskflow/taskflow.hpp DOC "Where Taskflow's headers lie")
  if(FORETASK_TASKFLOW)
    add_recorded_program(taskflow taskflow.cpp "${FORETASK_GCC_C}" -std=c++20 -pthread -lstdc++ "-I${PROJECT_SOURCE_DIR}/include"
      -isystem "${FORETASK_TASKFLOW}" "-L${CMAKE_LIBRARY_OUTPUT_DIRECTORY}" -lforetask
      "-Wl,-rpath,${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
    add_dependencies(recorded_program_taskflow libforetask)
  else()
    foretask_missing_tests("recording of Taskflow" integration "no Taskflow: FORETASK_TASKFLOW names its folder")
  endif()
  if(TARGET foretask_mpi)
    add_other_runtime(mpi libmpi.so.1)
  endif()
  foreach(mpi mpi mpich)
    if(NOT TARGET foretask_${mpi})
      continue()
    endif()
    string(TOUPPER ${mpi} found)
    list(TRANSFORM ${found}_INCLUDE_DIRS PREPEND "-isystem" OUTPUT_VARIABLE mpi_includes)
    set(with_mpi ${mpi_includes} ${${found}_LINK_LIBRARIES})
    add_recorded_program(${mpi}_messages mpi/messages "${FORETASK_CLANG_C}" ${with_mpi})
    add_recorded_program(${mpi}_late_messages.so mpi/messages "${FORETASK_CLANG_C}" -shared -fPIC ${with_mpi})
    set(probe "${programs_dir}/probe.f90")
    file(WRITE "${probe}" "program probe\n  use mpi_f08\n  call MPI_Init()\nend program\n")
    set(status 1)
    if(FORETASK_${found}FORT)
      execute_process(COMMAND "${FORETASK_${found}FORT}" "${probe}" -o "${probe}.out" RESULT_VARIABLE status
        OUTPUT_QUIET ERROR_QUIET)
    endif()
    if(status EQUAL 0)
      foreach(interface MPIF MPI F08)
        add_recorded_program(${mpi}_fortran_${interface} mpi/fortran.F90 "${FORETASK_${found}FORT}" -DWITH_${interface})
      endforeach()
    else()
      foretask_missing_tests("recording of Fortran MPI programs (${mpi})" integration
        "no mpifort that compiles (Debian: libopenmpi-dev or libmpich-dev, gfortran)")
    endif()
  endforeach()
  if(TARGET foretask_starpu)
    list(TRANSFORM STARPU_INCLUDE_DIRS PREPEND "-isystem" OUTPUT_VARIABLE starpu_includes)
    add_recorded_program(starpu_tasks starpu/tasks "${FORETASK_CLANG_C}" ${starpu_includes} ${STARPU_LINK_LIBRARIES})
    if(have_gcc_openmp)
      # Needs libgomp, and does not use it.
      add_recorded_program(gcc_starpu_tasks starpu/tasks "${FORETASK_GCC_C}" -Wl,--no-as-needed -fopenmp
        ${starpu_includes} ${STARPU_LINK_LIBRARIES})
    endif()
    add_other_runtime(starpu libstarpu-0.9.so.1)
  endif()
  if(TBB_FOUND)
    get_target_property(tbb_includes TBB::tbb INTERFACE_INCLUDE_DIRECTORIES)
    list(TRANSFORM tbb_includes PREPEND "-idirafter" OUTPUT_VARIABLE tbb_includes)
    set(tbb_flags -std=c++20 -pthread ${tbb_includes} "$<TARGET_FILE:TBB::tbb>")
    set(with_tbb --driver-mode=g++ ${tbb_flags})
    add_recorded_program(tbb_tasks tbb/tasks.cpp "${FORETASK_CLANG_C}" ${with_tbb})
    add_recorded_program(tbb_openmp tbb/openmp.cpp "${FORETASK_CLANG_C}" -fopenmp ${with_tbb})
    if(have_gcc_openmp AND TARGET foretask_gomp)
      add_recorded_program(gcc_tbb_openmp tbb/openmp.cpp "${FORETASK_GCC_C}" -fopenmp ${tbb_flags} -lstdc++)
    endif()
    add_recorded_program(tbb_kernels tbb/kernels.cpp "${FORETASK_CLANG_C}" ${with_tbb})
    add_recorded_program(tbb_late_tasks.so tbb/tasks.cpp "${FORETASK_CLANG_C}" -shared -fPIC ${with_tbb})
    add_recorded_program(tbb_inside tbb/inside.c "${FORETASK_CLANG_C}")
    add_recorded_program(tbb_inside_stripped tbb/inside.c "${FORETASK_CLANG_C}" -s)
    add_recorded_program(tbb_annotated tbb/annotated.cpp "${FORETASK_CLANG_C}" ${with_tbb}
      "-I${PROJECT_SOURCE_DIR}/include" "-L${CMAKE_LIBRARY_OUTPUT_DIRECTORY}" -lforetask
      "-Wl,-rpath,${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
    add_dependencies(recorded_program_tbb_annotated libforetask)
  endif()
  add_code_programs("" "${FORETASK_CLANG_C}" --driver-mode=g++)
  add_recorded_program(deep_names deep_names.cpp "${FORETASK_CLANG_C}" -fopenmp --driver-mode=g++)
  add_recorded_program(invoked invoked.cpp "${FORETASK_CLANG_C}" -std=c++20 -fopenmp --driver-mode=g++
    "-I${PROJECT_SOURCE_DIR}/include" "-L${CMAKE_LIBRARY_OUTPUT_DIRECTORY}" -lforetask
    "-Wl,-rpath,${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
  add_dependencies(recorded_program_invoked libforetask)
  add_recorded_program(runs_main loading/runs_main "${FORETASK_CLANG_C}")
  add_recorded_program(late_library.so late_library "${FORETASK_CLANG_C}" -fopenmp -shared -fPIC)
  add_recorded_program(jumps_optimised jumps "${FORETASK_CLANG_C}" -O2 -fopenmp)
  add_recorded_program(target_library.so target_library "${FORETASK_CLANG_C}" -shared -fPIC)
  add_recorded_program(target_program target_library "${FORETASK_CLANG_C}" -fopenmp -DTARGET_PROGRAM
    "${programs_dir}/target_library.so")
  add_dependencies(recorded_program_target_program recorded_program_target_library.so)
  add_recorded_program(tool_library.so tool_library "${FORETASK_CLANG_C}" -fopenmp -shared -fPIC)
  add_recorded_program(tool_in_program tool_library "${FORETASK_CLANG_C}" -fopenmp -DTOOL_IN_PROGRAM)
endif()

if(have_clang_openmp)
  add_executable(record_tests ${record_tests})
  foreach(mpi mpi mpich)
    if(TARGET foretask_${mpi} AND TARGET example_${mpi}_lu)
      add_dependencies(record_tests foretask_${mpi} example_${mpi}_lu)
    endif()
  endforeach()
  if(TARGET foretask_starpu)
    add_dependencies(record_tests foretask_starpu)
  endif()
  if(TBB_FOUND)
    add_dependencies(record_tests foretask_tbb)
  endif()
  add_dependencies(record_tests recorded_programs foretask_command foretask_ompt foretask_tune)
  if(TARGET foretask_gomp)
    add_dependencies(record_tests foretask_gomp)
  endif()
  foreach(example fig2 cholesky lu jacobi transpose)
    if(TARGET example_dataflow_${example})
      add_dependencies(record_tests example_dataflow_${example} example_dataflow_${example}_openmp)
    endif()
  endforeach()
  target_include_directories(record_tests PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(record_tests PRIVATE foretask_flags test_main nlohmann_json::nlohmann_json)
  target_compile_definitions(record_tests PRIVATE FORETASK_TESTS_DIR="${PROJECT_SOURCE_DIR}/tests"
    FORETASK_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}" FORETASK_TEST_PROGRAMS="${programs_dir}"
    FORETASK_TEST_MPIS="${mpis}" FORETASK_TEST_RUNTIMES="${runtimes}" FORETASK_TEST_HOOK="$<TARGET_FILE:foretask_ompt>")
  foretask_quick_to_compile(record_tests <nlohmann/json.hpp>)
  # Alone: recorded programs have two threads, and are held against their own clocks.
  foretask_discover_tests(record_tests integration_recording integration TIMEOUT 300 RUN_SERIAL TRUE)
else()
  foretask_missing_tests("recording of OpenMP programs" integration
    "no clang that links OpenMP (Debian: clang and libomp-dev)")
endif()

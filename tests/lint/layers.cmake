# SPDX-License-Identifier: Apache-2.0
# What may include what: the one table of it. docs/architecture.md and docs/dependencies.md say the same in words.

# A folder below src/, and the folders besides itself whose headers its files may name. The public headers are free to
# all. Two that name each other, such as simulate and simulate/machine, are one thing in two folders.
set(FOLDERS "
base
record              base record/counters
record/counters     base
trace               base record
graph               base trace
model               base model/online
model/online        base model
predict             base model model/online
predict/growth      base model
predict/progress    base model predict/growth
predict/program     base model predict/growth
distribution/family      base
distribution/fit         base distribution/family
distribution/expression  base distribution/family
distribution/compose     base distribution/family distribution/fit distribution/expression
simulate            base graph simulate/machine
simulate/machine    base graph simulate simulate/simgrid
simulate/simgrid    base graph simulate/machine
report              base graph model
api                 base record record/counters trace graph model model/online predict predict/program distribution/compose
                    simulate report api/progress
api/progress        base record model predict/progress api
cli                 report
cli/pages           cli
")

# A library, its header as a pattern, what CMake links for it (- : nothing) and the only files that may name it.
set(LIBRARIES "
hwloc       ^hwloc                   PkgConfig::HWLOC              ^src/record/topology
papi        ^papi                    -                             ^src/record/counters/papi_source
json        ^nlohmann/               nlohmann_json::nlohmann_json  ^src/(base/json_text|trace/(run_|kernel_file)|model/(kernel_state|store|program_store)\\.|simulate/platform\\.|cli/campaign\\.|report/)
fmt         ^fmt/                    fmt::fmt                      ^src/(report|cli)/
cli11       ^CLI/                    CLI11::CLI11                  ^src/cli/
zlib        ^zlib\\.h                ZLIB::ZLIB                    ^src/report/output\\.
libdw       ^(elfutils/|dwarf\\.h$)  PkgConfig::LIBDW              ^src/report/(symbols_libdw|debug_unit)
eigen       ^Eigen/                  Eigen3::Eigen                 ^src/(model|predict/growth|predict/program)/
boost_math  ^boost/math              Boost::headers                ^src/(model|distribution/(family|compose))/
lockfree    ^boost/lockfree          Boost::headers                ^src/predict/
simgrid     ^(simgrid|xbt)/          PkgConfig::SIMGRID            ^(src/simulate/simgrid|benchmarks|tests)/
openmp      ^omp(-tools)?\\.h$       -                             ^(runtime_hooks/ompt|examples|benchmarks|tests)/
mpi         ^mpi\\.h$                PkgConfig::MPI                ^(runtime_hooks/mpi|examples|benchmarks|tests)/
tbb         ^(tbb|oneapi)/           -                             ^(runtime_hooks/tbb|examples|benchmarks|tests)/
starpu      ^starpu                  -                             ^(runtime_hooks/starpu|examples|benchmarks|tests)/
")

# may_FOLDER for each folder, and their list in `folders`.
string(REGEX REPLACE "\n  +" " " rows "${FOLDERS}")
string(REGEX MATCHALL "[^\n]+" rows "${rows}")
set(folders)
foreach(row ${rows})
  string(REGEX MATCHALL "[a-z_/]+" words "${row}")
  list(POP_FRONT words folder)
  list(APPEND folders ${folder})
  set(may_${folder} ${words})
endforeach()

# header_LIBRARY, target_LIBRARY and place_LIBRARY, and the libraries' names in `libraries`.
string(REGEX MATCHALL "[^\n]+" rows "${LIBRARIES}")
set(libraries)
foreach(row ${rows})
  string(REGEX MATCH "^([^ ]+) +([^ ]+) +([^ ]+) +([^ ]+)$" row "${row}")
  list(APPEND libraries ${CMAKE_MATCH_1})
  set(header_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
  set(target_${CMAKE_MATCH_1} "${CMAKE_MATCH_3}")
  set(place_${CMAKE_MATCH_1} "${CMAKE_MATCH_4}")
endforeach()

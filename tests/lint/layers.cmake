# SPDX-License-Identifier: Apache-2.0
# What may include what, and where each library may be named: the one table of it. docs/architecture.md has the folders,
# docs/dependencies.md what each library serves.

# A folder below src/, and the folders besides itself whose headers its files may name. The public headers are free to
# all. Two that name each other, predict/program and
# predict/published, are one thing in two folders.
set(FOLDERS "
base
statistics          base
trace               base
graph               base
graph/coarse        base graph
graph/file          base graph
graph/reconstruction        base graph statistics trace
graph/ranks         graph graph/reconstruction
model/fit           base statistics
model/online        model/fit statistics
model/store         base model/online
model/table         base
model/evaluate      model/fit model/online
predict/online      base model/online
predict/growth      base statistics
predict/progress    base model/store predict/growth statistics
predict/program     base model/table predict/growth predict/published statistics
predict/published   base predict/growth predict/program statistics
distribution/family      statistics
distribution/fit         distribution/family statistics
distribution/expression  base distribution/family statistics
distribution/compose     base distribution/family distribution/fit distribution/expression statistics
simulate            base graph simulate/cores simulate/stealing simulate/machine simulate/teams
simulate/cores      base graph
simulate/stealing   base simulate/cores statistics
simulate/network    base
simulate/machine    base graph simulate/cores simulate/network    base
simulate/teams      graph
simulate/sampled    base graph simulate statistics
symbols             trace
report              base
report/run          base report report/timeline
report/diff         report report/page
report/simulate     report
report/whatif       base report report/simulate
report/predict      base report statistics
report/model        report
report/timeline     report graph
report/figure       report report/predict report/timeline
report/page         report report/page/views report/run report/timeline report/figure
report/page/views   report report/model report/page report/run report/timeline report/figure statistics
runtime             base runtime/recording runtime/learning runtime/progress
runtime/following   base runtime/recording runtime/kernels runtime/learning runtime/progress
runtime/counters    base trace
runtime/sampling    base
runtime/recording   base runtime/counters runtime/sampling statistics trace
runtime/kernels     base predict/online
runtime/progress    base model/store predict/progress runtime/recording runtime/kernels
runtime/granularity base statistics model/store runtime/recording runtime/kernels runtime/learning
runtime/threads     base runtime/recording runtime/kernels runtime/learning
runtime/learning    base model/online model/store predict/online runtime/recording runtime/kernels runtime/progress
analysis            base statistics trace graph graph/reconstruction graph/ranks model/store predict/online predict/program
                    symbols report runtime/recording runtime/counters runtime/sampling runtime/kernels
cli                 report
cli/options         cli report
cli/launch          base cli cli/options report report/predict
cli/commands        cli cli/options cli/launch report report/run report/diff report/simulate report/whatif report/predict report/model
                    report/timeline report/figure report/page statistics
cli/pages           cli
")

# A library, its header as a pattern, what CMake links for it (- : nothing) and the only files that may name it.
set(LIBRARIES "
hwloc       ^hwloc                   PkgConfig::HWLOC              ^src/runtime/recording/topology
papi        ^papi                    -                             ^src/runtime/counters/papi_source
json        ^nlohmann/               nlohmann_json::nlohmann_json  ^src/(base/json_text|trace/(run_|kernel_file)|model/store/|simulate/machine/platform\\.|report/)
fmt         ^fmt/                    PkgConfig::FMT                      ^src/(report|symbols|cli)/
cli11       ^CLI/                    CLI11::CLI11                  ^src/cli/
zlib        ^zlib\\.h                PkgConfig::ZLIB                    ^src/report/(output|page/frame)\\.
libelf      ^(gelf|libelf)\\.h$      PkgConfig::LIBELF             ^src/(cli/launch/elf_program|symbols/(code_uses|function_starts))\\.
libdw       ^(elfutils/|dwarf\\.h$)  PkgConfig::LIBDW              ^src/symbols/
eigen       ^Eigen/                  Eigen3::Eigen                 ^src/(statistics|model|predict/(growth|program|published))/
boost_math  ^boost/math              Boost::headers                ^src/(statistics|distribution/(family|compose))/
lockfree    ^boost/lockfree          Boost::headers                ^src/predict/
simgrid     ^(simgrid|xbt)/          PkgConfig::SIMGRID            ^(src/simulate/network/simgrid_network\\.|benchmarks/|tests/)
openmp      ^omp(-tools)?\\.h$       -                             ^(runtime_hooks/(ompt|gomp|calibration)|examples|benchmarks|tests)/
mpi         ^mpi\\.h$                PkgConfig::MPI                ^(runtime_hooks/mpi|examples|benchmarks|tests)/
tbb         ^(tbb|oneapi)/           -                             ^(runtime_hooks/(tbb|calibration)|examples|benchmarks|tests)/
starpu      ^starpu                  PkgConfig::STARPU             ^(runtime_hooks/starpu|examples|benchmarks|tests)/
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

// SPDX-License-Identifier: Apache-2.0
#include "libgomp.hpp"

const char* const foretask::kit::runtime_files[] = {"libgomp.so.1", nullptr};

namespace foretask::gomp {

bool has_cancellation = false;

namespace {

using Count = int (*)();
constinit kit::NextFunction<Count> num_threads("omp_get_num_threads");
constinit kit::NextFunction<Count> thread_num("omp_get_thread_num");

// A function that a libgomp of that version has, and older ones lack.
struct Age {
  const char* function;
  const char* version;
};
constexpr Age kAges[] = {{"GOMP_taskwait_depend_nowait", "GNU libgomp (GCC 13 or newer)"},
                         {"GOMP_scope_start", "GNU libgomp (GCC 12)"},
                         {"omp_display_env", "GNU libgomp (GCC 12)"},
                         {"omp_fulfill_event", "GNU libgomp (GCC 11)"},
                         {"GOMP_teams_reg", "GNU libgomp (GCC 9 or 10)"}};

}  // namespace

const char* libgomp_version() {
  for (const Age& age : kAges)
    if (find_function(age.function) != nullptr) return age.version;
  return "GNU libgomp (GCC 8 or older)";
}

bool is_llvm_here() { return find_function("__kmpc_fork_call") != nullptr; }

unsigned team_size() { return static_cast<unsigned>(num_threads.get()()); }

unsigned index_in_team() { return static_cast<unsigned>(thread_num.get()()); }

bool chooses_team_size() {
  const auto dynamic = find_function<Count>("omp_get_dynamic");
  return dynamic == nullptr || dynamic() != 0;
}

void find_settings() {
  const auto cancellation = find_function<Count>("omp_get_cancellation");
  has_cancellation = cancellation != nullptr && cancellation() != 0;
}

}  // namespace foretask::gomp

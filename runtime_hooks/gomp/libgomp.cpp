// SPDX-License-Identifier: Apache-2.0
#include "libgomp.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include "next_symbol.hpp"

namespace foretask::gomp {

bool has_cancellation = false;

namespace {

using Count = int (*)();
Count num_threads = nullptr;
Count thread_num = nullptr;

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

void* find_function(const char* name) {
  if (void* const found = next_symbol<void*>(name)) return found;
  // Loaded late, by a library that keeps it to itself.
  void* const library = ::dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return library != nullptr ? ::dlsym(library, name) : nullptr;
}

void* real_function(const char* name) {
  if (void* const found = find_function(name)) return found;
  std::abort();
}

const char* libgomp_version() {
  for (const Age& age : kAges)
    if (find_function(age.function) != nullptr) return age.version;
  return "GNU libgomp (GCC 8 or older)";
}

bool is_llvm_here() { return find_function("__kmpc_fork_call") != nullptr; }

unsigned team_size() { return static_cast<unsigned>(num_threads()); }

unsigned index_in_team() { return static_cast<unsigned>(thread_num()); }

bool chooses_team_size() {
  const auto dynamic = reinterpret_cast<Count>(find_function("omp_get_dynamic"));
  return dynamic == nullptr || dynamic() != 0;
}

void find_settings() {
  num_threads = reinterpret_cast<Count>(real_function("omp_get_num_threads"));
  thread_num = reinterpret_cast<Count>(real_function("omp_get_thread_num"));
  const auto cancellation = reinterpret_cast<Count>(find_function("omp_get_cancellation"));
  has_cancellation = cancellation != nullptr && cancellation() != 0;
}

}  // namespace foretask::gomp

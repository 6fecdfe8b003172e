// SPDX-License-Identifier: Apache-2.0
#include "runtime/learning/code_version.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <mutex>

#include "runtime/recording/module_map.hpp"

namespace foretask::runtime {
namespace {

// So that no fork leaves the dynamic linker's lock taken.
std::mutex& mutex() {
  static auto* const instance = new std::mutex;
  return *instance;
}

std::string version_of(const trace::Module& module) {
  if (!module.build_id.empty()) return module.build_id;
  struct stat status {};
  if (::stat(module.path.empty() ? "/proc/self/exe" : module.path.c_str(), &status) != 0) return "unknown";
  return std::to_string(status.st_size) + "-" + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

}  // namespace

// Looked up anew each time: another library may lie there now.
std::string code_version_of(const void* code) {
  const std::lock_guard lock(mutex());
  const auto module = runtime::find_module(code);
  return module ? version_of(*module) : "unknown";
}

bool is_code_loaded(const std::string& version) {
  const std::lock_guard lock(mutex());
  const auto modules = runtime::read_modules();
  return std::any_of(modules.begin(), modules.end(),
                     [&](const trace::Module& module) { return version_of(module) == version; });
}

void lock_code_versions() { mutex().lock(); }
void unlock_code_versions() { mutex().unlock(); }

}  // namespace foretask::runtime

// SPDX-License-Identifier: Apache-2.0
#include "runtime/learning/code_version.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

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
  if (::stat(module.path.empty() ? "/proc/thread-self/exe" : module.path.c_str(), &status) != 0) return "unknown";
  return std::to_string(status.st_size) + "-" + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

}  // namespace

std::string code_version_of(const void* code) {
  struct Known {
    std::uint64_t begin;
    std::uint64_t end;
    std::string version;
  };
  const auto address = reinterpret_cast<std::uintptr_t>(code);
  const std::lock_guard lock(mutex());
  static auto* const known = new std::vector<Known>;
  static std::uint64_t unloads = 0;
  if (const std::uint64_t now = count_unloads(); now != unloads) {
    known->clear();  // another library may lie there now
    unloads = now;
  }
  for (const Known& module : *known)
    if (address >= module.begin && address < module.end) return module.version;
  const auto module = runtime::find_module(code);
  if (!module) return "unknown";
  known->push_back({module->begin, module->end, version_of(*module)});
  return known->back().version;
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

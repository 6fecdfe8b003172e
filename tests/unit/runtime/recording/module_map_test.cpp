// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/module_map.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "catch.hpp"
#include "skip.hpp"

using foretask::runtime::read_modules;
using foretask::trace::Module;

namespace {

const Module* module_of(const std::vector<Module>& modules, const void* address) {
  const auto value = reinterpret_cast<std::uint64_t>(address);
  const auto found = std::find_if(modules.begin(), modules.end(),
                                  [&](const Module& module) { return module.begin <= value && value < module.end; });
  return found == modules.end() ? nullptr : &*found;
}

std::string output_of(const std::string& command) {
  std::string output;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) return output;
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) != 0;)
    output.append(buffer.data(), got);
  ::pclose(pipe);
  return output;
}

void function_of_this_program() {}

}  // namespace

TEST_CASE("the module map holds this program where it lies in memory") {
  const std::vector<Module> modules = read_modules();
  const Module* program = module_of(modules, reinterpret_cast<const void*>(&function_of_this_program));
  REQUIRE(program);
  CHECK(std::filesystem::equivalent(program->path, "/proc/self/exe"));
  Dl_info info{};
  REQUIRE(dladdr(reinterpret_cast<const void*>(&function_of_this_program), &info) != 0);
  // Position-independent programs are linked at 0: the loader's base is the load bias.
  CHECK(program->base == reinterpret_cast<std::uint64_t>(info.dli_fbase));
}

TEST_CASE("the module map holds libraries by their paths") {
  const std::vector<Module> modules = read_modules();
  // One in the place of which no sanitizer brings its own.
  const void* function = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
  REQUIRE(function);
  const Module* library = module_of(modules, function);
  REQUIRE(library);
  CHECK(library->path.find("libc") != std::string::npos);
  CHECK(std::filesystem::exists(library->path));
}

TEST_CASE("modules do not overlap") {
  std::vector<Module> modules = read_modules();
  std::sort(modules.begin(), modules.end(), [](const Module& a, const Module& b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < modules.size(); ++i) CHECK(modules[i - 1].end <= modules[i].begin);
}

TEST_CASE("a module's build id is the one in its file") {
  if (std::system("readelf --version > /dev/null 2>&1") != 0) FORETASK_SKIP("no readelf to compare with");
  std::size_t compared = 0;
  for (const Module& module : read_modules()) {
    if (module.build_id.empty() || !std::filesystem::exists(module.path)) continue;
    CAPTURE(module.path);
    CHECK(output_of("readelf -n '" + module.path + "' 2> /dev/null").find("Build ID: " + module.build_id) !=
          std::string::npos);
    ++compared;
  }
  CHECK(compared > 0);
}

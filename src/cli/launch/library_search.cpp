// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/library_search.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>

#include "cli/launch/launcher.hpp"

namespace foretask::cli {
namespace {

namespace fs = std::filesystem;

// Other C libraries' loaders would take --list for the program's argument, or run the program.
bool is_glibc_loader(const std::string& interpreter) {
  const std::string name = fs::path(interpreter).filename().string();
  return name.rfind("ld-linux", 0) == 0 || name.rfind("ld64.so", 0) == 0 || name == "ld.so.1";
}

// "\tlibgomp.so.1 => /usr/lib/libgomp.so.1 (0x00007f...)", "\tlibx.so => not found", or of what is preloaded
// "\t/usr/lib/libgomp.so.1 (0x00007f...)".
bool parse_line(const std::string& line, LoadedLibrary& library) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos) return false;
  const std::size_t arrow = line.find(" => ");
  const std::size_t path = arrow == std::string::npos ? begin : arrow + 4;
  const std::size_t end = line.rfind(" (0x");
  library.path = end == std::string::npos || end < path ? std::string() : line.substr(path, end - path);
  library.name =
      arrow == std::string::npos ? fs::path(library.path).filename().string() : line.substr(begin, arrow - begin);
  return arrow != std::string::npos || library.path.starts_with('/');
}

// llvm-14 -> 14
int llvm_version(const fs::path& folder) {
  const std::string name = folder.filename().string();
  int version = 0;
  std::from_chars(name.data() + std::strlen("llvm-"), name.data() + name.size(), version);
  return version;
}

}  // namespace

std::vector<LoadedLibrary> libraries_of(const std::string& path, const ElfProgram& program,
                                        ChildEnvironment& environment) {
  if (!is_glibc_loader(program.interpreter)) return {};
  const auto listing = output_of(program.interpreter, {program.interpreter, "--list", path}, environment);
  if (!listing) return {};
  std::vector<LoadedLibrary> libraries;
  std::istringstream lines(*listing);
  for (std::string line; std::getline(lines, line);) {
    LoadedLibrary library;
    if (parse_line(line, library)) libraries.push_back(std::move(library));
  }
  return libraries;
}

const LoadedLibrary* find_library(const std::vector<LoadedLibrary>& libraries, bool (*wanted)(std::string_view name)) {
  const auto found =
      std::find_if(libraries.begin(), libraries.end(), [wanted](const auto& library) { return wanted(library.name); });
  return found == libraries.end() ? nullptr : &*found;
}

void preload(const std::string& file, const std::vector<LoadedLibrary>& libraries, ChildEnvironment& environment) {
  environment.preload(file);
  const LoadedLibrary* const sanitizer = find_library(libraries, [](std::string_view name) {
    return name.starts_with("libasan.so") || name.starts_with("libtsan.so");
  });
  if (sanitizer != nullptr) environment.preload(sanitizer->path);
}

std::string find_shared_library(const std::string& name) {
  auto path = output_of_child([&name](int output) {
    void* const library = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
    link_map* map = nullptr;
    if (library != nullptr && ::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr)
      (void)!::write(output, map->l_name, std::strlen(map->l_name));
  });
  return path ? *std::move(path) : std::string();
}

std::vector<std::string> find_libomp() {
  std::vector<std::string> found;
  const auto add = [&found](const std::string& path) {
    std::error_code ignored;
    if (path.empty() || !fs::is_regular_file(path, ignored)) return;
    const bool known = std::any_of(found.begin(), found.end(), [&path](const std::string& other) {
      std::error_code unknown;
      return fs::equivalent(other, path, unknown);
    });
    if (!known) found.push_back(path);
  };
  add(find_shared_library("libomp.so.5"));
  add(find_shared_library("libomp.so"));

  std::vector<fs::path> folders;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/usr/lib", ignored))
    if (entry.path().filename().string().rfind("llvm-", 0) == 0) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end(),
            [](const fs::path& a, const fs::path& b) { return llvm_version(a) > llvm_version(b); });
  for (const fs::path& folder : folders) add((folder / "lib/libomp.so.5").string());
  return found;
}

}  // namespace foretask::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/openmp_stand_in.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "cli/launch/own_folder.hpp"
#include "cli/launch/shared_libraries.hpp"

namespace foretask::cli {
namespace {

constexpr const char* kLibgomp = "libgomp.so.1";

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

bool is_llvm_openmp(std::string_view name) {
  return starts_with(name, "libomp.so") || starts_with(name, "libomp5.so") || starts_with(name, "libiomp5.so");
}

bool needs_libgomp(const LoadedLibrary& library) {
  return std::find(library.needed.begin(), library.needed.end(), kLibgomp) != library.needed.end();
}

// What the program and its libraries, libgomp itself left out, ask of libgomp.
std::vector<ElfSymbol> libgomp_imports(const ElfProgram& program, const std::vector<LoadedLibrary>& libraries) {
  std::vector<ElfSymbol> imports;
  const auto add = [&imports](const ElfProgram& part) {
    for (const ElfSymbol& symbol : part.imports)
      if (symbol.library == kLibgomp) imports.push_back(symbol);
  };
  add(program);
  for (const LoadedLibrary& library : libraries) {
    if (library.path.empty() || library.name == kLibgomp || !needs_libgomp(library)) continue;
    if (const auto part = read_elf_program(library.path); part && part->is_native()) add(*part);
  }
  return imports;
}

// GOMP_parallel is of GCC 4.9. What was built before runs its regions' bodies itself, between two calls.
bool is_too_old(const std::string& libgomp, const ElfProgram& program, const std::vector<LoadedLibrary>& libraries) {
  constexpr std::string_view kOldCall = "GOMP_parallel_end";
  const auto has = [](const std::vector<ElfSymbol>& symbols, std::string_view name) {
    return std::any_of(symbols.begin(), symbols.end(), [name](const ElfSymbol& symbol) { return symbol.name == name; });
  };
  const auto calls_it = [&](const LoadedLibrary& one) {
    if (one.name == kLibgomp || !needs_libgomp(one) || !has_symbol_names_with(one.path, {&kOldCall, 1})) return false;
    const auto part = read_elf_program(one.path);
    return part && has(part->imports, kOldCall);
  };
  const auto library = read_elf_program(libgomp);
  return (library && !has(library->exports, "GOMP_parallel")) || has(program.imports, kOldCall) ||
         std::any_of(libraries.begin(), libraries.end(), calls_it);
}

struct Candidate {
  std::string path;
  std::vector<std::string> missing;
};

// The first that has all, else the one that lacks least.
std::optional<Candidate> choose(const std::vector<std::string>& paths, const std::vector<ElfSymbol>& imports) {
  std::optional<Candidate> best;
  for (const std::string& path : paths) {
    const auto libomp = read_elf_program(path);
    if (!libomp || !libomp->is_native()) continue;
    Candidate candidate{path, missing_from(*libomp, imports)};
    if (!best || candidate.missing.size() < best->missing.size()) best = std::move(candidate);
    if (best->missing.empty()) break;
  }
  return best;
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return std::filesystem::equivalent(a, b, ignored);
}

bool names(const std::string& link, const std::string& target) {
  std::error_code ignored;
  return std::filesystem::read_symlink(link, ignored) == target;
}

// A folder of the user's with nothing in it but a libgomp.so.1 that is `libomp`; empty where none can be had.
std::string folder_with_link(const std::string& libomp) {
  std::string name = libomp;
  std::replace(name.begin(), name.end(), '/', '%');
  const auto folder = own_cache_folder("stand-in/" + name);
  if (!folder || folder->find_first_of(":;") != std::string::npos) return {};
  const std::string link = *folder + "/" + kLibgomp;
  if (names(link, libomp)) return *folder;
  const std::string made = *folder + "/." + std::to_string(::getpid());
  if (::symlink(libomp.c_str(), made.c_str()) != 0) return {};
  if (::rename(made.c_str(), link.c_str()) == 0) return *folder;
  ::unlink(made.c_str());
  return {};
}

// By the loader's search path, so that libgomp is not loaded at all. False where the program's own DT_RPATH wins.
bool replace_by_path(const std::string& path, const ElfProgram& program, const std::string& libomp,
                     ChildEnvironment& environment) {
  const std::string folder = folder_with_link(libomp);
  if (folder.empty()) return false;
  ChildEnvironment trial = environment;
  trial.prepend("LD_LIBRARY_PATH", folder);
  const auto libraries = libraries_of(path, program, trial);
  const auto* const library = find_library(libraries, [](std::string_view name) { return name == kLibgomp; });
  if (library == nullptr || !same_file(library->path, libomp)) return false;
  environment = std::move(trial);
  return true;
}

}  // namespace

std::vector<std::string> missing_from(const ElfProgram& libomp, const std::vector<ElfSymbol>& imports) {
  std::unordered_set<std::string> provided;
  for (const ElfSymbol& symbol : libomp.exports) {
    provided.insert(symbol.name + "@" + symbol.version);
    provided.insert(symbol.name + "@");  // a caller that asks for no version takes any
  }
  std::vector<std::string> missing;
  for (const ElfSymbol& symbol : imports) {
    std::string wanted = symbol.name + "@" + symbol.version;
    if (provided.count(wanted) == 0 && std::find(missing.begin(), missing.end(), wanted) == missing.end())
      missing.push_back(std::move(wanted));
  }
  return missing;
}

StandIn prepare_stand_in(const std::string& path, const ElfProgram& program,
                         const std::vector<LoadedLibrary>& libraries, ChildEnvironment& environment) {
  StandIn result;
  if (!program.is_native() || program.is_static()) return result;
  const auto* const libgomp = find_library(libraries, [](std::string_view name) { return name == kLibgomp; });
  const auto* const own = find_library(libraries, is_llvm_openmp);
  result.has_openmp = libgomp != nullptr || own != nullptr;
  // A libgomp.so.1 that is a libomp already: the user, or a launcher around this one, saw to it.
  if (libgomp == nullptr || (own != nullptr && same_file(libgomp->path, own->path))) return result;

  // A program with both runtimes keeps its libomp: one runtime is left, and that is in it already.
  const auto paths = own != nullptr ? std::vector<std::string>{own->path} : find_libomp();
  const std::vector<ElfSymbol> imports = libgomp_imports(program, libraries);
  auto candidate = choose(paths, imports);
  if (!candidate) {
    result.outcome = StandIn::Outcome::kNoLibomp;
    return result;
  }
  std::error_code ignored;
  result.libomp = std::filesystem::absolute(candidate->path, ignored).string();
  result.missing = std::move(candidate->missing);
  if (!result.missing.empty()) {
    result.outcome = StandIn::Outcome::kIncomplete;
    return result;
  }
  result.outcome = StandIn::Outcome::kPrepared;
  environment.set("FORETASK_STAND_IN", result.libomp);
  // What GCC's runtime would say nothing of: a deprecated call, a setting that it does not have.
  if (environment.find("KMP_WARNINGS") == nullptr) environment.set("KMP_WARNINGS", "0");
  // Where libomp is preloaded, libgomp is loaded as well, but nothing calls it: a preloaded library's functions come
  // first.
  if (!replace_by_path(path, program, result.libomp, environment)) preload(result.libomp, libraries, environment);
  return result;
}

StandIn prepare_native(const ElfProgram& program, const std::vector<LoadedLibrary>& libraries,
                       const std::string& library, ChildEnvironment& environment) {
  StandIn result;
  const bool is_script = program.kind == ElfProgram::Kind::kScript;
  if (!is_script && (!program.is_native() || program.is_static() || program.has_libgomp_inside)) return result;
  if (!is_script && libraries.empty()) return result;  // of another C library, which the hook's own would not suit
  const auto* const libgomp = find_library(libraries, [](std::string_view name) { return name == kLibgomp; });
  const auto* const llvm = find_library(libraries, is_llvm_openmp);
  if (llvm != nullptr) return result;
  result.has_openmp = libgomp != nullptr;
  if (libgomp != nullptr && is_too_old(libgomp->path, program, libraries)) {
    result.outcome = StandIn::Outcome::kTooOld;
    result.libgomp = libgomp->path;
    return result;
  }
  result.is_inherited = true;
  result.outcome = libgomp != nullptr ? StandIn::Outcome::kNative : StandIn::Outcome::kNotNeeded;
  preload(library, libraries, environment);
  // A program behind this one may have a sanitizer, which else would end it for what is loaded before.
  if (libgomp == nullptr) {
    const std::string* const options = environment.find("ASAN_OPTIONS");
    environment.set("ASAN_OPTIONS", "verify_asan_link_order=0" + (options == nullptr ? "" : ":" + *options));
  }
  return result;
}

}  // namespace foretask::cli

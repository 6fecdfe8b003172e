// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/library_search.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "cli/launch/launcher.hpp"
#include "scratch.hpp"

using namespace foretask::cli;
namespace fs = std::filesystem;

namespace {

const std::string kHead = "PATH=" + std::string(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));

ChildEnvironment environment_with(const std::string& assignment) {
  const char* const variables[] = {kHead.c_str(), assignment.c_str(), nullptr};
  return ChildEnvironment(variables);
}

// "name => path" of each library, as the loader itself says it.
std::set<std::string> said_by_loader(const std::string& path, ChildEnvironment& environment) {
  const auto program = read_elf_program(path);
  std::set<std::string> libraries;
  const auto listing = output_of(program->interpreter, {program->interpreter, "--list", path}, environment);
  REQUIRE(listing.ok());
  std::string line;
  for (std::istringstream lines(*listing); std::getline(lines, line);)
    if (line.find(" => ") != std::string::npos) libraries.insert(line.substr(1, line.rfind(" (0x") - 1));
  return libraries;
}

std::set<std::string> found(const std::string& path, const ChildEnvironment& environment) {
  const auto libraries = search_libraries(path, read_elf_program(path).value(), environment);
  REQUIRE(libraries);
  std::set<std::string> names;
  for (const LoadedLibrary& library : *libraries) names.insert(library.name + " => " + library.path);
  return names;
}

void compile(const std::string& arguments) {
  INFO(arguments);
  REQUIRE(std::system(("cc " + arguments).c_str()) == 0);
}

}  // namespace

TEST_CASE("the libraries of installed programs are those that the loader lists") {
  ChildEnvironment environment = environment_with("HOME=/");
  int compared = 0;
  for (const auto& entry : fs::directory_iterator("/usr/bin")) {
    // Of a link the loader would take $ORIGIN for the link's folder here, and for the program's when it is run.
    if (entry.is_symlink() || !entry.is_regular_file() || compared == 60) continue;
    const auto program = read_elf_program(entry.path().string());
    if (!program || !program->is_native() || program->interpreter.empty()) continue;
    if (!search_libraries(entry.path().string(), *program, environment)) continue;  // an installation with gaps
    INFO(entry.path().string());
    CHECK(found(entry.path().string(), environment) == said_by_loader(entry.path().string(), environment));
    ++compared;
  }
  CHECK(compared > 0);
}

TEST_CASE("run paths, LD_LIBRARY_PATH and preloaded libraries are searched in the loader's order") {
  const foretask_test::Scratch scratch;
  const std::string at = scratch / "";
  for (const char* const folder : {"near", "far", "other"}) fs::create_directory(at + folder);
  std::ofstream(at + "inner.c") << "int inner(void) { return 1; }\n";
  std::ofstream(at + "outer.c") << "int inner(void); int outer(void) { return inner(); }\n";
  std::ofstream(at + "main.c") << "int outer(void); int main(void) { return outer(); }\n";
  for (const char* const folder : {"near", "far", "other"})
    compile("-shared -fPIC -Wl,-soname,libinner.so.1 -o " + at + folder + "/libinner.so.1 " + at + "inner.c");
  const std::string inner = " " + at + "far/libinner.so.1";
  const std::string main =
      " -L" + at + "near -Wl,--no-as-needed " + at + "main.c -louter -Wl,-rpath-link," + at + "far";
  const std::string outer = "-shared -fPIC -o " + at + "near/libouter.so " + at + "outer.c" + inner;
  const auto check = [&at](const std::string& assignment) {
    INFO(assignment);
    ChildEnvironment environment = environment_with(assignment);
    CHECK(found(at + "main", environment) == said_by_loader(at + "main", environment));
  };

  SECTION("each file has a RUNPATH of its own") {
    compile(outer + " -Wl,--enable-new-dtags,-rpath,'$ORIGIN/../far'");
    compile("-o " + at + "main" + main + " -Wl,--enable-new-dtags,-rpath,'$ORIGIN/near'");
    check("HOME=/");
    check("LD_LIBRARY_PATH=" + at + "other");
    check("LD_LIBRARY_PATH=/nonexistent;" + at + "other:");
    check("LD_LIBRARY_PATH=/:" + at + "other//");
    // Which the loader lists without the name that is asked for.
    CHECK(found(at + "main", environment_with("LD_PRELOAD=" + at + "other/libinner.so.1"))
              .contains("libinner.so.1 => " + at + "other/libinner.so.1"));
    check("LD_PRELOAD=libinner.so.1 libm.so.6");
  }
  SECTION("the program's RPATH is for its libraries too") {
    compile(outer);
    compile("-o " + at + "main" + main + " -Wl,--disable-new-dtags,-rpath," + at + "near:" + at + "far");
    check("HOME=/");
    check("LD_LIBRARY_PATH=" + at + "other");
  }
  SECTION("only the loader can tell of a library that is missing, and of folders for some processors") {
    compile(outer);
    compile("-o " + at + "main" + main + " -Wl,--enable-new-dtags,-rpath," + at + "near");
    const auto program = read_elf_program(at + "main").value();
    CHECK_FALSE(search_libraries(at + "main", program, environment_with("HOME=/")));
    CHECK(search_libraries(at + "main", program, environment_with("LD_LIBRARY_PATH=" + at + "far")));
    fs::create_directory(at + "far/glibc-hwcaps");
    CHECK_FALSE(search_libraries(at + "main", program, environment_with("LD_LIBRARY_PATH=" + at + "far")));
  }
}

// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/library_search.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

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

// Where the program would find the library; empty: nowhere.
std::string place_of(const std::string& name, const std::string& path, const std::string& assignment) {
  ChildEnvironment environment = environment_with(assignment);
  for (const LoadedLibrary& library : libraries_of(path, read_elf_program(path).value(), environment))
    if (library.name == name) return library.path;
  return {};
}

void compile(const std::string& arguments) {
  INFO(arguments);
  REQUIRE(std::system(("cc " + arguments).c_str()) == 0);
}

}  // namespace

TEST_CASE("a program's libraries are found where its run path, the environment and what is preloaded say") {
  const foretask_test::Scratch scratch;
  const std::string at = scratch / "";
  for (const char* const folder : {"near", "far", "other"}) fs::create_directory(at + folder);
  std::ofstream(at + "inner.c") << "int inner(void) { return 1; }\n";
  std::ofstream(at + "outer.c") << "int inner(void); int outer(void) { return inner(); }\n";
  std::ofstream(at + "main.c") << "int outer(void); int main(void) { return outer(); }\n";
  for (const char* const folder : {"near", "far", "other"})
    compile("-shared -fPIC -Wl,-soname,libinner.so.1 -o " + at + folder + "/libinner.so.1 " + at + "inner.c");
  compile("-shared -fPIC -o " + at + "near/libouter.so " + at + "outer.c " + at + "far/libinner.so.1" +
          " -Wl,--enable-new-dtags,-rpath,'$ORIGIN/../far'");
  const std::string main = at + "main";
  compile("-o " + main + " -L" + at + "near " + at + "main.c -louter -Wl,-rpath-link," + at +
          "far -Wl,--enable-new-dtags,-rpath,'$ORIGIN/near'");
  const auto is_in = [&](const std::string& folder, const std::string& assignment) {
    INFO(assignment);
    CHECK(fs::weakly_canonical(place_of("libinner.so.1", main, assignment)) ==
          fs::weakly_canonical(at + folder + "/libinner.so.1"));
  };
  CHECK(fs::weakly_canonical(place_of("libouter.so", main, "HOME=/")) == fs::weakly_canonical(at + "near/libouter.so"));
  is_in("far", "HOME=/");
  is_in("other", "LD_LIBRARY_PATH=" + at + "other");
  is_in("other", "LD_PRELOAD=" + at + "other/libinner.so.1");
  fs::remove(at + "far/libinner.so.1");
  CHECK(place_of("libinner.so.1", main, "HOME=/").empty());
}

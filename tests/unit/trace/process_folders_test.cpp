// SPDX-License-Identifier: Apache-2.0
#include "trace/process_folders.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "catch.hpp"
#include "unit/base/temp_folder.hpp"

using namespace foretask::trace;
using foretask::test::TempFolder;
namespace fs = std::filesystem;

TEST_CASE("processes have the folder that was named, then .2, .3 and so on") {
  const TempFolder folder;
  const std::string run = folder / "run";
  for (std::uint32_t number = 1; number <= 3; ++number) {
    const auto made = make_process_folder(run, 64);
    REQUIRE(made);
    CHECK(made->number == number);
    CHECK(made->path == process_folder(run, number));
    CHECK(fs::is_directory(made->path));
    CHECK(count_processes(run).recorded == number);
  }
  CHECK(process_folder(run, 3) == run + ".3");
  CHECK(count_processes(run).left_out == 0);
}

TEST_CASE("a name that is taken is passed by, and is no process") {
  const TempFolder folder;
  const std::string run = folder / "run";
  fs::create_directories(run + ".2");
  fs::create_directories(run + ".3");
  REQUIRE(make_process_folder(run, 5)->number == 1);
  CHECK(make_process_folder(run, 5)->path == run + ".4");
  CHECK(make_process_folder(run, 5)->path == run + ".5");
  CHECK(make_process_folder(run, 5)->path.empty());
  CHECK(count_processes(run).recorded == 3);
  CHECK(count_processes(run).left_out == 1);
}

TEST_CASE("of a thousand processes at once as many get a folder as may") {
  const TempFolder folder;
  const std::string run = folder / "run";
  constexpr int kFamilies = 10;
  for (int family = 0; family < kFamilies; ++family) {
    if (::fork() != 0) continue;
    bool is_right = true;
    for (int i = 0; i < 1000 / kFamilies; ++i) {
      const auto made = make_process_folder(run, 64);
      is_right = is_right && made && made->path.empty() == (made->number > 64);
    }
    ::_exit(is_right ? 0 : 1);
  }
  for (int family = 0; family < kFamilies; ++family) {
    int status = 1;
    ::wait(&status);
    CHECK(status == 0);
  }
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 64);
  CHECK(count_processes(run).recorded == 64);
  CHECK(count_processes(run).left_out == 936);
}

TEST_CASE("a folder that cannot be made is an error") {
  const TempFolder folder;
  CHECK_FALSE(make_process_folder(folder / "missing/run", 64).ok());
  std::ofstream(folder / "file") << "text";
  CHECK_FALSE(make_process_folder(folder / "file", 64).ok());
}

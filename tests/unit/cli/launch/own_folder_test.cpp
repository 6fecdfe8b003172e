// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/own_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "catch.hpp"
#include "skip.hpp"
#include "unit/base/temp_folder.hpp"

namespace fs = std::filesystem;
using foretask::cli::own_cache_folder;
using foretask::cli::own_folder;
using foretask::test::TempFolder;

TEST_CASE("a folder is the user's own where nobody else can write in it, or put another in its place") {
  const TempFolder folder;  // below the temporary folder, which all may write to and which is sticky
  const std::string real = fs::canonical(folder.path()).string();
  fs::create_directories(folder / "open/inner");
  CHECK(own_folder(folder.path()) == real);
  CHECK(own_folder(folder / "open/inner") == real + "/open/inner");
  CHECK_FALSE(own_folder(folder / "missing"));
  for (const mode_t mode : {0770, 0707, 01777}) {
    CAPTURE(mode);
    REQUIRE(::chmod((folder / "open").c_str(), mode) == 0);
    CHECK_FALSE(own_folder(folder / "open"));
    // Others may not rename what lies in a sticky folder.
    CHECK(own_folder(folder / "open/inner").has_value() == (mode == 01777));
  }
}

TEST_CASE("what is told of a folder behind a link is where the link points to now") {
  const TempFolder folder;
  fs::create_directories(folder / "real");
  fs::create_symlink("real", folder / "link");
  CHECK(own_folder(folder / "link") == fs::canonical(folder / "real").string());
}

TEST_CASE("a folder of another user's is not the user's own") {
  if (::geteuid() != 0) FORETASK_SKIP("no root: no folder of another user's can be made");
  const TempFolder folder;
  fs::create_directories(folder / "theirs/inner");
  REQUIRE(::chown((folder / "theirs").c_str(), 65534, 65534) == 0);
  CHECK_FALSE(own_folder(folder / "theirs"));
  CHECK_FALSE(own_folder(folder / "theirs/inner"));
}

TEST_CASE("the cache folder is refused where others may write") {
  const TempFolder folder;
  const char* const before = std::getenv("XDG_CACHE_HOME");
  const std::string kept = before ? before : "";
  ::setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  const std::string kept_runtime = runtime ? runtime : "";
  ::unsetenv("XDG_RUNTIME_DIR");
  const auto own = own_cache_folder("stand-in");
  ::chmod((folder / "cache/foretask").c_str(), 0777);
  const auto open = own_cache_folder("stand-in");
  before ? ::setenv("XDG_CACHE_HOME", kept.c_str(), 1) : ::unsetenv("XDG_CACHE_HOME");
  if (runtime) ::setenv("XDG_RUNTIME_DIR", kept_runtime.c_str(), 1);
  REQUIRE(own);
  CHECK(*own == fs::canonical(folder.path()).string() + "/cache/foretask/stand-in");
  REQUIRE_FALSE(open);
  CHECK(open.error().message().find("others may write there") != std::string::npos);
}

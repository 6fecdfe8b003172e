// SPDX-License-Identifier: Apache-2.0
#include "base/new_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <thread>

#include "catch.hpp"
#include "unit/base/temp_folder.hpp"

namespace base = foretask::base;
namespace fs = std::filesystem;
using foretask::test::content_of;
using foretask::test::names_in;
using foretask::test::TempFolder;
using foretask::test::write_content;

namespace {

// Writes `content` to `path`; to its end, or not.
void write_new(const std::string& path, const std::string& content, bool whole = true) {
  auto file = base::NewFile::create(path);
  REQUIRE(file.ok());
  CHECK(::write(file->fd(), content.data(), content.size()) == static_cast<ssize_t>(content.size()));
  if (whole) CHECK(file->finish() == 0);
}

}  // namespace

TEST_CASE("what was there stays until the new file is whole") {
  const TempFolder folder;
  write_content(folder / "file", "old");
  ::chmod((folder / "file").c_str(), 0640);
  write_new(folder / "file", "half", false);
  CHECK(content_of(folder / "file") == "old");
  write_new(folder / "file", "new");
  CHECK(content_of(folder / "file") == "new");
  CHECK(fs::status(folder / "file").permissions() == fs::perms{0640});
  CHECK(names_in(folder.path()) == std::vector<std::string>{"file"});
}

TEST_CASE("a file that is new is there when it is whole, and not before") {
  const TempFolder folder;
  write_new(folder / "file", "half", false);
  CHECK(fs::is_empty(folder.path()));
  write_new(folder / "file", "new");
  CHECK(content_of(folder / "file") == "new");
  CHECK(names_in(folder.path()).size() == 1);
}

TEST_CASE("a link stays one, and what it names is replaced") {
  const TempFolder folder;
  fs::create_directory(folder / "below");
  write_content(folder / "below/file", "old");
  fs::create_symlink("below/file", folder / "link");
  fs::create_symlink("below/none yet", folder / "dangling");
  write_new(folder / "link", "new");
  write_new(folder / "dangling", "other");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(content_of(folder / "below/file") == "new");
  CHECK(content_of(folder / "below/none yet") == "other");
}

TEST_CASE("pipes and open files are written in place") {
  const TempFolder folder;
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  std::string read;
  std::thread reader([&] { read = content_of(folder / "fifo"); });
  write_new(folder / "fifo", "through");
  reader.join();
  CHECK(read == "through");
  CHECK(fs::is_fifo(folder / "fifo"));

  // As "foretask export -o /dev/stdout >>file" has it.
  write_content(folder / "file", "before ");
  const base::FileDescriptor open(::open((folder / "file").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  struct stat status {};
  REQUIRE(::fstat(open.get(), &status) == 0);
  write_new("/dev/fd/" + std::to_string(open.get()), "after");
  CHECK(content_of(folder / "file") == "before after");
  CHECK(::fstat(open.get(), &status) == 0);
  CHECK(status.st_nlink == 1);
}

TEST_CASE("a place that takes no file says why") {
  const TempFolder folder;
  CHECK(base::NewFile::create(folder.path()).error().code == EISDIR);
  CHECK(base::NewFile::create(folder / "no/file").error().code == ENOENT);
  // Taken away before it is whole.
  auto file = base::NewFile::create(folder / "file");
  REQUIRE(file.ok());
  for (const std::string& name : names_in(folder.path())) fs::remove(folder / name);
  CHECK(file->finish() == ENOENT);
}

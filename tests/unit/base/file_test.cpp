// SPDX-License-Identifier: Apache-2.0
#include "base/file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <sstream>
#include <thread>

#include "catch.hpp"
#include "unit/base/temp_folder.hpp"

namespace base = foretask::base;
using foretask::test::content_of;
using foretask::test::names_in;
using foretask::test::TempFolder;
using foretask::test::write_content;

TEST_CASE("a file is read whole, zero bytes and all") {
  const TempFolder folder;
  std::string content(200'000, 'x');
  content[100'000] = '\0';
  write_content(folder / "file", content);
  const auto read = base::read_file(folder / "file");
  REQUIRE(read.ok());
  CHECK(*read == content);
  write_content(folder / "empty", "");
  CHECK(base::read_file(folder / "empty").value().empty());
}

TEST_CASE("reading says what is wrong, and where") {
  const TempFolder folder;
  const auto missing = base::read_file(folder / "missing");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().path == folder / "missing");
  CHECK(missing.error().code == ENOENT);
  CHECK_FALSE(base::read_file(folder.path()).ok());
  write_content(folder / "file", "12345");
  CHECK(base::read_file(folder / "file", 5).ok());
  CHECK_FALSE(base::read_file(folder / "file", 4).ok());
}

TEST_CASE("a file of /proc is read, a FIFO is refused and not waited for") {
  CHECK_FALSE(base::read_file("/proc/self/cmdline").value().empty());
  const TempFolder folder;
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  CHECK(base::read_file(folder / "fifo").error().message() == folder / "fifo" + ": is no file");
}

TEST_CASE("an atomic write replaces the file and leaves nothing beside it") {
  const TempFolder folder;
  REQUIRE(base::write_file_atomically(folder / "file", "old").ok());
  CHECK(content_of(folder / "file") == "old");
  REQUIRE(base::write_file_atomically(folder / "file", "new").ok());
  CHECK(content_of(folder / "file") == "new");
  CHECK(names_in(folder.path()) == std::vector<std::string>{"file"});
}

TEST_CASE("a reader meets the old content or the new, never a part") {
  const TempFolder folder;
  const std::string path = folder / "file";
  const std::string first(100'000, 'a');
  const std::string second(300'000, 'b');
  REQUIRE(base::write_file_atomically(path, first).ok());
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (bool odd = true; !stop; odd = !odd) (void)base::write_file_atomically(path, odd ? second : first);
  });
  int torn = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string seen = content_of(path);
    if (seen != first && seen != second) ++torn;
  }
  stop = true;
  writer.join();
  CHECK(torn == 0);
}

TEST_CASE("a write that fails keeps the old content and takes its temporary file away") {
  const TempFolder folder;
  REQUIRE(base::write_file_atomically(folder / "file", "old").ok());
  SECTION("the disk takes no more") {
    // In a child: the limit would hold for the test's own output too.
    const pid_t child = ::fork();
    if (child == 0) {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{10'000, 10'000};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      const auto written = base::write_file_atomically(folder / "file", std::string(20'000, 'x'));
      ::_exit(!written.ok() && written.error().code == EFBIG ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  SECTION("something is in the way") {
    std::filesystem::create_directories(folder / "way/below");
    CHECK_FALSE(base::write_file_atomically(folder / "way", "x").ok());
    std::filesystem::remove_all(folder / "way");
  }
  CHECK(content_of(folder / "file") == "old");
  CHECK(names_in(folder.path()) == std::vector<std::string>{"file"});
  CHECK_FALSE(base::write_file_atomically(folder / "no folder/file", "x").ok());
}

TEST_CASE("lines that several threads append do not mix") {
  const TempFolder folder;
  const std::string path = folder / "lines";
  constexpr int kThreads = 4;
  constexpr int kLines = 200;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&path, thread] {
      const std::string line(static_cast<std::size_t>(50 + thread), static_cast<char>('a' + thread));
      for (int i = 0; i < kLines; ++i) (void)base::append_to_file(path, line + "\n");
    });
  for (std::thread& thread : threads) thread.join();
  std::istringstream lines(content_of(path));
  std::vector<int> seen(kThreads);
  int mixed = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto thread = static_cast<std::size_t>(line.empty() ? 0 : line[0] - 'a');
    if (line != std::string(50 + thread, static_cast<char>('a' + thread))) {
      ++mixed;
    } else {
      ++seen[thread];
    }
  }
  CHECK(mixed == 0);
  CHECK(seen == std::vector<int>(kThreads, kLines));
}

TEST_CASE("nothing is appended to what a symbolic link names") {
  const TempFolder folder;
  REQUIRE(foretask::base::append_to_file(folder / "precious", "precious\n"));
  REQUIRE(::symlink((folder / "precious").c_str(), (folder / "link").c_str()) == 0);
  CHECK_FALSE(foretask::base::append_to_file(folder / "link", "more\n"));
  CHECK(content_of(folder / "precious") == "precious\n");
  // One that names nothing yet is not followed, either.
  REQUIRE(::symlink((folder / "nothing").c_str(), (folder / "dangling").c_str()) == 0);
  CHECK_FALSE(foretask::base::append_to_file(folder / "dangling", "more\n"));
  CHECK(::access((folder / "nothing").c_str(), F_OK) != 0);
}

TEST_CASE("a descriptor is closed once, by its last holder") {
  const auto is_open = [](int fd) { return ::fcntl(fd, F_GETFD) != -1; };
  int number = -1;
  {
    base::FileDescriptor first(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    number = first.get();
    base::FileDescriptor second = std::move(first);
    CHECK(second.get() == number);
    base::FileDescriptor third;
    third = std::move(second);
    CHECK(third.is_open());
    CHECK(is_open(number));
  }
  CHECK_FALSE(is_open(number));
}

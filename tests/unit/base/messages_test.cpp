// SPDX-License-Identifier: Apache-2.0
#include "base/messages.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "base/run_aside.hpp"
#include "catch.hpp"
#include "unit/base/temp_folder.hpp"

namespace base = foretask::base;
using foretask::test::content_of;
using foretask::test::TempFolder;

namespace {

// A file of the program's own with standard error's number, as a program has it that closed that and opened one.
class FileInPlace {
 public:
  explicit FileInPlace(const std::string& path) : before_(::dup(STDERR_FILENO)) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
    ::dup2(file, STDERR_FILENO);
    ::close(file);
  }
  FileInPlace(const FileInPlace&) = delete;
  FileInPlace& operator=(const FileInPlace&) = delete;
  ~FileInPlace() {
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
  }

 private:
  int before_;
};

}  // namespace

TEST_CASE("nothing is said into a file that took standard error's place") {
  const TempFolder folder;
  {
    const FileInPlace other(folder / "file");
    base::say("here");
    base::warn("there");
    base::say_raw("raw\n");
    REQUIRE(base::run_aside([] { base::warn("from aside"); }));
  }
  CHECK(content_of(folder / "file").empty());
}

// SPDX-License-Identifier: Apache-2.0
#include "trace/process_folders.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/file.hpp"

namespace foretask::trace {
namespace {

constexpr char kProcess = '.';
constexpr char kNameTaken = '+';
constexpr char kLeftOut = '!';

// One for each process that a machine can have in a day.
constexpr std::size_t kLargestFile = std::size_t{64} << 20;

// Appends `mark`; the file's length then, 0 and errno on failure. A write under O_APPEND leaves the descriptor at its
// own end, whatever others append meanwhile.
off_t append(const base::FileDescriptor& file, char mark) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return 0;
  if (base::exceeds_file_limit(static_cast<std::uint64_t>(status.st_size) + 1)) {
    errno = EFBIG;
    return 0;
  }
  if (::write(file.get(), &mark, 1) != 1) return 0;
  return std::max<off_t>(0, ::lseek(file.get(), 0, SEEK_CUR));
}

}  // namespace

std::string process_folder(const std::string& first, std::uint32_t number) {
  return number <= 1 ? first : first + "." + std::to_string(number);
}

Result<ProcessFolder> make_process_folder(const std::string& first, std::uint32_t most) {
  if (::mkdir(first.c_str(), 0777) == 0) return ProcessFolder{first, 1};
  const auto failed = [](const std::string& folder) { return Error{"cannot create the folder", folder, 0, errno}; };
  if (errno != EEXIST) return failed(first);
  const std::string counted = first + "/" + kProcessesFile;
  const base::FileDescriptor file(
      ::open(counted.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file.is_open()) return failed(first);
  for (char mark = kProcess;; mark = kNameTaken) {
    const off_t length = append(file, mark);
    if (length == 0) return failed(first);
    const auto number = static_cast<std::uint32_t>(length + 1);
    if (number > most) {
      static_cast<void>(append(file, kLeftOut));
      return ProcessFolder{{}, number};
    }
    std::string name = process_folder(first, number);
    if (::mkdir(name.c_str(), 0777) == 0) return ProcessFolder{std::move(name), number};
    if (errno != EEXIST) return failed(name);
  }
}

ProcessCounts count_processes(const std::string& first) {
  ProcessCounts counts;
  const Result<std::string> marks = base::read_file(first + "/" + kProcessesFile, kLargestFile);
  if (!marks) return counts;
  counts.left_out = static_cast<std::uint64_t>(std::count(marks->begin(), marks->end(), kLeftOut));
  counts.recorded += static_cast<std::uint64_t>(std::count(marks->begin(), marks->end(), kProcess)) - counts.left_out;
  return counts;
}

}  // namespace foretask::trace

// SPDX-License-Identifier: Apache-2.0
#include "simulate/network/simgrid_process.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "base/file.hpp"
#include "simulate/network/network.hpp"

namespace foretask::simulate {
namespace {

namespace fs = std::filesystem;
using analysis::ScheduledNode;
using analysis::SimulationResult;

// What the child writes: this, then its schedule or the words of its error.
struct Answer {
  bool is_result = false;
  std::int64_t makespan_ns = 0;
  std::int64_t work_ns = 0;
  double speedup = 0;
  double utilization = 0;
  std::size_t bytes = 0;  // of what follows
};

// In `foretask` in the folder of this code's own module, or in the folder of libraries beside this program's. Empty:
// nowhere.
std::string find_library() {
  std::error_code ignored;
  std::vector<fs::path> modules{fs::read_symlink("/proc/self/exe", ignored)};
  Dl_info self{};
  if (::dladdr(reinterpret_cast<void*>(&has_simgrid), &self) != 0) modules.emplace_back(self.dli_fname);
  for (const fs::path& module : modules) {
    const fs::path folder = module.parent_path();
    for (const fs::path& place : {folder, folder / ".." / FORETASK_LIBDIR, folder / ".." / "lib"}) {
      const fs::path candidate = place / "foretask" / kSimgridLibrary;
      if (fs::exists(candidate, ignored)) return candidate.string();
    }
  }
  return {};
}

// Found once: a process forked while another thread asks the loader could not load anything.
const std::string& library_path() {
  static const std::string path = find_library();
  return path;
}

bool write_all(int fd, const void* from, std::size_t bytes) {
  return base::write_all(fd, {static_cast<const char*>(from), bytes}) == 0;
}

bool read_all(int fd, void* into, std::size_t bytes) {
  for (auto at = static_cast<char*>(into); bytes != 0;) {
    const ssize_t taken = ::read(fd, at, bytes);
    if (taken < 0 && errno == EINTR) continue;
    if (taken <= 0) return false;
    at += taken;
    bytes -= static_cast<std::size_t>(taken);
  }
  return true;
}

Result<SimulationResult> replay_here(const std::string& library, const analysis::Platform& platform,
                                     const ReplayOnNetwork& replay) {
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Error{std::string("SimGrid cannot be loaded: ") + ::dlerror()};
  auto* const entry = reinterpret_cast<SimgridEntry*>(::dlsym(handle, kSimgridEntry));
  if (entry == nullptr) return Error{.what = "is of another version", .path = library};
  Result<SimulationResult> result = Error{"SimGrid did not start the replay"};
  std::string problem;
  entry(
      platform,
      [&](Network& network) {
        try {
          result = replay(network);
        } catch (const std::bad_alloc&) {
          result = Error{"not enough memory for the replay"};
        }
      },
      problem);
  if (!problem.empty()) return Error{.what = problem, .path = platform.simgrid_xml};
  return result;
}

// In the child. Ends without the parent's handlers and buffers.
[[noreturn]] void serve(int fd, const std::string& library, const analysis::Platform& platform,
                        const ReplayOnNetwork& replay) {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);  // SimGrid aborts where it does not like a file
  // It also writes out what the parent had in its buffers; the parent will do so itself.
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) ::dup2(nowhere, STDOUT_FILENO);
  const auto result = replay_here(library, platform, replay);
  Answer answer;
  const void* rest = nullptr;
  std::string error;
  if (result) {
    answer = {.is_result = true,
              .makespan_ns = result->makespan_ns,
              .work_ns = result->work_ns,
              .speedup = result->speedup,
              .utilization = result->utilization,
              .bytes = result->schedule.size() * sizeof(ScheduledNode)};
    rest = result->schedule.data();
  } else {
    error = result.error().message();
    answer.bytes = error.size();
    rest = error.data();
  }
  const bool is_written = write_all(fd, &answer, sizeof answer) && write_all(fd, rest, answer.bytes);
  ::_exit(is_written ? 0 : 1);
}

// In the parent. The error is the child's own, or that there was no answer.
Result<SimulationResult> answer_from(int fd, const analysis::Platform& platform) {
  const Error silent{.what = "SimGrid ended without a result", .path = platform.simgrid_xml};
  Answer answer;
  if (!read_all(fd, &answer, sizeof answer)) return silent;
  if (!answer.is_result) {
    std::string error(answer.bytes, '\0');
    if (!read_all(fd, error.data(), answer.bytes)) return silent;
    return Error{error};
  }
  SimulationResult result{.makespan_ns = answer.makespan_ns,
                          .work_ns = answer.work_ns,
                          .speedup = answer.speedup,
                          .utilization = answer.utilization};
  result.schedule.resize(answer.bytes / sizeof(ScheduledNode));
  if (!read_all(fd, result.schedule.data(), answer.bytes)) return silent;
  return result;
}

}  // namespace

bool has_simgrid() { return !library_path().empty(); }

Result<SimulationResult> replay_on_simgrid(const analysis::Platform& platform, const ReplayOnNetwork& replay) {
  const std::string& library = library_path();
  if (library.empty())
    return Error{std::string(kSimgridLibrary) + " is not there: foretask was built without SimGrid (libsimgrid-dev)"};
  if (::access(platform.simgrid_xml.c_str(), R_OK) != 0)
    return Error{.what = "cannot be read", .path = platform.simgrid_xml, .code = errno};
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error{.what = "cannot create a pipe for SimGrid's process", .code = errno};
  const pid_t child = ::fork();
  const int fork_errno = errno;
  if (child == 0) serve(ends[1], library, platform, replay);
  ::close(ends[1]);
  Result<SimulationResult> result = Error{.what = "cannot create a process for SimGrid", .code = fork_errno};
  if (child > 0) {
    result = answer_from(ends[0], platform);
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  ::close(ends[0]);
  return result;
}

}  // namespace foretask::simulate

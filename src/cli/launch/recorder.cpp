// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/recorder.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <utility>

#include "cli/command.hpp"
#include "cli/launch/library_search.hpp"
#include "cli/launch/program_runtimes.hpp"
#include "foretask/analysis/run.hpp"
#include "foretask/tune_hook.h"

extern char** environ;

namespace foretask::cli {
namespace {

namespace fs = std::filesystem;

// Whether the program is set-uid or set-gid for another than this user, or has capabilities that this user lacks. The
// dynamic loader preloads nothing into such a program.
bool gains_privileges(const std::string& path) {
  struct stat file {};
  struct statvfs system {};
  if (::stat(path.c_str(), &file) != 0 || ::statvfs(path.c_str(), &system) != 0) return false;
  if ((system.f_flag & ST_NOSUID) != 0 || ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) return false;
  const bool changes_user = (file.st_mode & S_ISUID) != 0 && file.st_uid != ::getuid();
  const bool changes_group = (file.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && file.st_gid != ::getgid();
  // Of root's capabilities none is new.
  const bool has_capabilities = ::geteuid() != 0 && ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
  return changes_user || changes_group || has_capabilities;
}

constexpr const char* kToolVariable = "OMP_TOOL_LIBRARIES";
constexpr const char* kMaxPriority = "OMP_MAX_TASK_PRIORITY";
constexpr const char* kOutVariable = "FORETASK_OUT";
constexpr std::uint32_t kMostRanks = 1 << 20;

// FORETASK_OUT and what else the launcher says are then another launcher's.
bool is_within_launch(const ChildEnvironment& environment) {
  return environment.find("FORETASK_LAUNCH_NS") != nullptr && environment.find(kOutVariable) != nullptr;
}

// "foretask-app-20250131_120000-4711".
std::string default_folder(const std::string& program) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("foretask-{}-{:%Y%m%d_%H%M%S}-{}", program.substr(program.rfind('/') + 1), parts, ::getpid());
}

// By trying: what access() says is not what every file system does.
Result<void> check_writable(const fs::path& folder) {
  std::string trial = (folder / "foretask-XXXXXX").string();
  if (::mkdtemp(trial.data()) != nullptr) {
    ::rmdir(trial.c_str());
    return {};
  }
  return Error{.what = "no recording can be written here", .path = folder.string(), .code = errno};
}

// Compiled for devices by LLVM. Where no device is there, the host runs the regions, and their constructs are recorded.
// The libgomp hook looks for devices itself.
bool has_target_regions(const ElfProgram& program) {
  return std::any_of(program.imports.begin(), program.imports.end(),
                     [](const std::string& name) { return name.starts_with("__tgt_target"); });
}

const char* hook_of(Mpi mpi) { return mpi == Mpi::kMpich ? kMpichHook : kMpiHook; }

}  // namespace

// Before the program starts: it should not run for an hour and leave nothing.
Result<std::string> check_recording_folder(const std::string& out) {
  std::error_code error;
  // Of several processes that were started together each has a folder of its own.
  const fs::path path = fs::absolute(analysis::rank_run_folder(out), error);
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0)
    return Error{.what = "is there already. A recording is never overwritten: choose another folder",
                 .path = analysis::rank_run_folder(out)};
  if (errno != ENOENT)
    return Error{.what = "no recording can be written there", .path = analysis::rank_run_folder(out), .code = errno};
  if (const std::string other = analysis::left_over_process(path.string()); !other.empty())
    return Error{.what = fmt::format("is there already, of an earlier recording into {}. A recording is never "
                                     "overwritten: choose another folder",
                                     analysis::rank_run_folder(out)),
                 .path = other};
  const fs::path parent = (path.has_filename() ? path : path.parent_path()).parent_path();
  if (const auto writable = check_writable(parent); !writable) return writable.error();
  return path.string();
}

Recorder::Recorder(const std::vector<std::string>& command, std::string path, HookMode mode)
    : name_(command.front()), path_(std::move(path)), mode_(mode), environment_(environ) {
  if (auto inspected = read_elf_program(path_))
    program_ = std::move(*inspected);  // one that cannot be may still be run
  if (program_.is_native() && !program_.is_static()) libraries_ = libraries_of(path_, program_, environment_);
  runtimes_ = runtimes_of(libraries_);
  if (runtimes_.mpi == Mpi::kNone) find_mpi(command);
}

void Recorder::find_mpi(const std::vector<std::string>& command) {
  runtimes_.mpi = mpi_of_launcher(path_);
  if (runtimes_.mpi == Mpi::kNone) {
    // A guess, of which nothing is said where its hook is not here.
    const Mpi guess = loads_libraries() || starts_programs() ? mpi_of_rank(environment_) : Mpi::kNone;
    if (guess != Mpi::kNone && find_hook_library(hook_of(guess)).ok()) runtimes_.mpi = guess;
    return;
  }
  // The launched program's own library is the better answer. Its name is the first word that is a program on MPI.
  for (std::size_t i = 1; i < command.size(); ++i) {
    const auto path = find_program(command[i]);
    if (!path) continue;
    const auto program = read_elf_program(*path);
    if (!program || !program->is_native() || program->is_static()) continue;
    const ProgramRuntimes launched = runtimes_of(libraries_of(*path, *program, environment_));
    if (launched.mpi == Mpi::kNone) continue;
    runtimes_.mpi = launched.mpi;
    runtimes_.libmpi = launched.libmpi;
    return;
  }
}

Result<Recorder> Recorder::prepare(const std::vector<std::string>& command, const std::string& path, HookMode mode) {
  Recorder recorder(command, path, mode);
  if (const auto added = recorder.add_hooks(); !added) return added.error();
  recorder.add_openmp();
  recorder.obstacle_ = recorder.find_obstacle();
  return recorder;
}

Result<void> Recorder::add_hooks() {
  if (mode_ == HookMode::kTune) {
    hook_is_inherited_ = true;
    environment_.set("FORETASK", "tune");
    return add_tuning();
  }
  const auto tool = find_hook_library(kOpenmpHook);
  if (!tool && !runtimes_.foretask && runtimes_.mpi == Mpi::kNone && runtimes_.starpu.empty() && !runtimes_.tbb)
    return tool.error();
  if (runtimes_.mpi != Mpi::kNone && !learns() &&
      !preload(find_fitting_hook(hook_of(runtimes_.mpi), runtimes_.libmpi), "messages between MPI processes"))
    runtimes_.mpi = Mpi::kNone;
  if (!runtimes_.starpu.empty() && !preload(find_fitting_hook(kStarpuHook, runtimes_.starpu), "StarPU's tasks"))
    runtimes_.starpu.clear();
  // A program that is started later may use oneTBB; not where its hook's library for exceptions is missing.
  const bool may_use_tbb = (loads_libraries() || starts_programs()) && !find_shared_library("libgcc_s.so.1").empty();
  if (runtimes_.tbb || (may_use_tbb && find_hook_library(kTbbHook).ok()))
    preload(find_hook_library(kTbbHook), "oneTBB's tasks");
  if (program_.has_tbb_inside)
    note(fmt::format("warning: {} holds a copy of oneTBB, whose tasks are not {}: link the program with libtbb.so",
                     name_, done()));
  if (has_target_regions(program_))
    note(fmt::format("warning: {} has OpenMP target regions. What they run on a device is not {}", name_, done()));
  environment_.set("FORETASK", learns() ? "learn" : "record");
  if (tool) {
    // The user's own tools run beside this one, which starts them (runtime_hooks/ompt/other_tool.cpp).
    const std::string others = other_openmp_tools(environment_.find(kToolVariable));
    environment_.set("OMP_TOOL", "enabled");
    environment_.set(kToolVariable, others.empty() ? *tool : *tool + ":" + others);
  }
  return {};
}

Result<void> Recorder::add_tuning() {
  const auto hook = find_hook_library(kTuneHook);
  if (!hook) return hook.error();
  cli::preload(*hook, libraries_, environment_);
  // Without it GCC's OpenMP has no priorities. LLVM's waits for ever in versions 15 and 16 where there are some (LLVM
  // issue 62867), and may in later ones (97816).
  if (environment_.find(kMaxPriority) == nullptr && !runtimes_.libgomp.empty() && !runtimes_.libomp)
    environment_.set(kMaxPriority, std::to_string(FORETASK_TUNED_PRIORITIES));
  return {};
}

void Recorder::add_openmp() {
  if (mode_ == HookMode::kTune) return;
  if (runtimes_.libomp) {
    if (const auto hook = find_hook_library(kOpenmpHook)) cli::preload(*hook, libraries_, environment_);
    if (!runtimes_.libgomp.empty())
      note(fmt::format("warning: {} has GCC's OpenMP ({}) and LLVM's in one process. What runs on GCC's is not {}",
                       name_, runtimes_.libgomp, done()));
    return;
  }
  is_of_old_gcc_ = is_of_old_gcc(runtimes_, program_);
  const auto hook = find_hook_library(kGompHook);
  if (!hook) no_libgomp_hook_ = hook.error().message();
  // Without libraries the program is a static one, or one of another C library, which the hook's own would not suit.
  const bool can_load_it = program_.kind == ElfProgram::Kind::kScript || !libraries_.empty();
  if (!hook || !can_load_it || program_.has_libgomp_inside || is_of_old_gcc_) return;
  // A program without OpenMP may load libgomp late, or start programs that have it.
  hook_is_inherited_ = true;
  cli::preload(*hook, libraries_, environment_);
  // One that it starts may have a sanitizer, which else would end it for what is loaded before.
  if (runtimes_.libgomp.empty()) {
    const std::string* const options = environment_.find("ASAN_OPTIONS");
    environment_.set("ASAN_OPTIONS", "verify_asan_link_order=0" + (options == nullptr ? "" : ":" + *options));
  }
}

Result<std::string> Recorder::find_fitting_hook(const char* name, const std::string& library) const {
  auto hook = find_hook_library(name);
  if (!hook || library.empty()) return hook;
  const auto elf = read_elf_links(*hook);
  if (!elf) return elf.error();
  // "libmpi.so.40", "libstarpu-1.3.so.9": the version begins with the first digit.
  const std::string family = library.substr(0, library.find_first_of("0123456789"));
  for (const std::string& own : elf->needed)
    if (own.starts_with(family) && own != library)
      return Error{fmt::format("{} uses {}, and foretask was built for {}", name_, library, own)};
  return hook;
}

bool Recorder::preload(const Result<std::string>& hook, const std::string& what) {
  if (hook) {
    environment_.preload(*hook);
  } else {
    note(fmt::format("warning: {} are not {}: {}", what, done(), hook.error().message()));
  }
  return hook.ok();
}

Result<void> Recorder::record_into(const std::string& out) {
  const std::string* const inherited = is_within_launch(environment_) ? nullptr : environment_.find(kOutVariable);
  const auto path = check_recording_folder(!out.empty()           ? out
                                           : inherited != nullptr ? *inherited
                                                                  : default_folder(path_));
  if (!path) return path.error();
  environment_.set(kOutVariable, *path);
  return {};
}

bool Recorder::join_launch() {
  if (!is_within_launch(environment_)) return false;
  note_ = LaunchNote::kOfLaunch;
  return true;
}

void Recorder::set_params(const std::vector<std::string>& params) {
  if (!params.empty()) environment_.set("FORETASK_PARAMS", fmt::format("{}", fmt::join(params, "\n")));
}

std::string Recorder::find_obstacle() const {
  if (program_.kind == ElfProgram::Kind::kElf && !program_.machine.empty())
    return fmt::format("{} is a {} program, and the recorder is not", name_, program_.machine);
  if (program_.is_static())
    return fmt::format("{} is statically linked: a runtime inside it cannot load the recorder", name_);
  if (gains_privileges(path_))
    return fmt::format(
        "{} has rights that you lack (set-uid, set-gid or capabilities), and the system loads no recorder into it",
        name_);
  if (program_.has_libgomp_inside)
    return fmt::format("{} holds a copy of libgomp, which no hook can stand before: link the program with libgomp.so",
                       name_);
  if (is_of_old_gcc_)
    return fmt::format(
        "{}, or {}, is of GCC 4.8 or older, whose parallel regions cannot be recorded: build the program with GCC 4.9 "
        "or newer",
        name_, runtimes_.libgomp);
  if (!runtimes_.libgomp.empty() && !no_libgomp_hook_.empty())
    return fmt::format("{} uses GCC's OpenMP, and {}", name_, no_libgomp_hook_);
  return {};
}

std::string Recorder::silence() const {
  if (!obstacle_.empty()) return {};
  std::string what = "no OpenMP construct and no call of oneTBB";
  if (runtimes_.foretask) what += " and none of its annotations";
  if (runtimes_.mpi != Mpi::kNone) what += ", did not initialise MPI";
  if (!runtimes_.starpu.empty()) what += ", did not start StarPU";
  return fmt::format(
      "{}{} reached {}, or did so where it cannot be recorded. Try a larger input or more threads. foretask doctor "
      "says what can be recorded here",
      name_, starts_programs() ? ", with all that it started," : "", what);
}

bool Recorder::starts_programs() const {
  return program_.kind == ElfProgram::Kind::kScript ||
         std::any_of(program_.imports.begin(), program_.imports.end(), [](const std::string& name) {
           return name.starts_with("exec") || name.starts_with("posix_spawn") || name == "system" || name == "popen";
         });
}

bool Recorder::loads_libraries() const {
  return std::find(program_.imports.begin(), program_.imports.end(), "dlopen") != program_.imports.end();
}

std::string Recorder::doubt() const {
  const bool has_own_tool =
      std::find(program_.exports.begin(), program_.exports.end(), "ompt_start_tool") != program_.exports.end();
  // What is tuned is seen without a tool.
  if (obstacle_.empty() && has_own_tool && runtimes_.libomp && mode_ != HookMode::kTune)
    return fmt::format(
        "{} holds an OpenMP tool of its own (ompt_start_tool), and an OpenMP runtime starts only one. Unless that tool "
        "declines, the program's OpenMP is not {}",
        name_, done());
  const bool is_seen = program_.kind == ElfProgram::Kind::kScript || (hook_is_inherited_ && starts_programs()) ||
                       runtimes_.mpi != Mpi::kNone || !runtimes_.starpu.empty() || runtimes_.foretask || runtimes_.tbb;
  if (!obstacle_.empty() || is_seen || runtimes_.libomp || !runtimes_.libgomp.empty()) return {};
  return fmt::format(
      "{} is linked with no OpenMP runtime, not with oneTBB and not with libforetask. Nothing is {}, unless it loads "
      "one of them while it runs, or starts programs that do",
      name_, done());
}

std::vector<std::string> Recorder::recordings() const {
  std::vector<std::string> folders;
  const std::string* const out = environment_.find(kOutVariable);
  if (out == nullptr) return folders;
  for (const analysis::RecordedProcess& one : analysis::read_process_shares(*out).processes)
    folders.push_back(one.folder);
  if (!folders.empty()) return folders;
  if (analysis::is_run_folder(*out)) folders.push_back(*out);
  for (std::uint32_t rank = 0; rank < kMostRanks; ++rank) {
    const std::string folder = analysis::rank_run_folder(*out, rank);
    if (!analysis::is_run_folder(folder)) break;
    folders.push_back(folder);
  }
  return folders;
}

Result<RecordedRun> Recorder::run(const std::vector<std::string>& command, const LaunchOptions& options) {
  ProgramImage image(path_, command, environment_, note_);
  const auto status = launch(image, options);
  if (!status) return status.error();
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  RecordedRun run{*status, recordings()};
  const analysis::ProgramEnd end{std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec, status->exit_code,
                                 status->signal, status->pid};
  if (!run.folders.empty())
    if (const auto noted = analysis::note_program_end(run.folders.front(), end); !noted) note(noted.error().message());
  return run;
}

Error Recorder::become(const std::vector<std::string>& command) {
  // A doubt or an obstacle was said before the start, which is enough.
  const bool says_nothing = mode_ == HookMode::kRecord && obstacle_.empty() && doubt().empty();
  environment_.set("FORETASK_ANNOUNCE", says_nothing ? "nothing was recorded: " + silence() : "1");
  ProgramImage image(path_, command, environment_, note_);
  return Error{.what = "cannot be run", .path = path_, .code = image.exec()};
}

}  // namespace foretask::cli

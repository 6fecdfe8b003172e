// SPDX-License-Identifier: Apache-2.0
#include "base/environment.hpp"

#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "catch.hpp"
#include "skip.hpp"
#include "unit/base/environment_of.hpp"
#include "unit/base/temp_folder.hpp"

using foretask::base::Environment;
using foretask::base::Mode;
using foretask::base::read_environment;
using foretask::test::EnvironmentOf;

namespace {

Environment read_with(const EnvironmentOf::Variables& variables) {
  const EnvironmentOf scope(variables);
  return read_environment();
}

bool warns_of(const Environment& environment, const std::string& word) {
  return std::any_of(environment.warnings.begin(), environment.warnings.end(),
                     [&](const std::string& warning) { return warning.find(word) != std::string::npos; });
}

}  // namespace

TEST_CASE("nothing set is off, and silent") {
  const Environment environment = read_with({});
  CHECK(environment.mode.is_off());
  CHECK(environment.out.empty());
  CHECK(environment.max_bytes == 0);
  CHECK(environment.params.empty());
  CHECK(environment.launch_ns == 0);
  CHECK(environment.warnings.empty());
}

TEST_CASE("FORETASK says what is done") {
  CHECK(read_with({{"FORETASK", "off"}}).mode.is_off());
  const auto mode_of = [](const char* text) {
    const auto mode = read_with({{"FORETASK", text}}).mode;
    return std::pair(mode.records, mode.learns);
  };
  CHECK(mode_of("record") == std::pair(true, false));
  CHECK(mode_of("learn") == std::pair(false, true));
  CHECK(mode_of("record,learn") == std::pair(true, true));
  CHECK(mode_of("learn,record") == std::pair(true, true));
  for (const char* wrong : {"Record", "on", "1", " record", "record ", "record,", "record,record"}) {
    const Environment environment = read_with({{"FORETASK", wrong}});
    CAPTURE(wrong);
    CHECK(environment.mode.is_off());
    REQUIRE(environment.warnings.size() == 1);
    CHECK(warns_of(environment, wrong));
  }
  CHECK(read_with({{"FORETASK", ""}}).warnings.empty());
}

TEST_CASE("every option is read as it is given") {
  const Environment environment = read_with({{"FORETASK", "record"},
                                             {"FORETASK_OUT", "a folder"},
                                             {"FORETASK_PROCESSES", "7"},
                                             {"FORETASK_MAX_BYTES", "16M"},
                                             {"FORETASK_COUNTERS", "PAPI_TOT_INS"},
                                             {"FORETASK_LAUNCH_NS", "123456789"},
                                             {"FORETASK_ANNOUNCE", "1"}});
  CHECK(environment.out == "a folder");
  CHECK(environment.processes == 7);
  CHECK(environment.max_bytes == 16777216);
  CHECK(environment.counters == "PAPI_TOT_INS");
  CHECK(environment.launch_ns == 123456789);
  CHECK(environment.announces);
  CHECK(environment.warnings.empty());
}

TEST_CASE("the command is this program's, whatever its arguments hold") {
  const std::string path = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  const std::string program = " " + std::to_string(path.size()) + ":" + path;
  const std::string pid = std::to_string(::getpid());
  const std::string other = std::to_string(::getppid());
  const std::vector<std::string> command{"app", "", "a b:3", "\n"};
  CHECK(read_with({{"FORETASK_COMMAND", pid + program + "3:app0:5:a b:31:\n"}}).command == command);
  CHECK(read_with({{"FORETASK_COMMAND", "0000" + pid + program + "3:app"}}).command == std::vector<std::string>{"app"});
  for (const std::string& wrong : {other + program + "3:app", pid + " 8:/bin/env3:app", pid + program + "4:app",
                                   pid + program + "app", pid + program, pid + " 999:", pid, "x" + program + "3:app"}) {
    CAPTURE(wrong);
    CHECK(read_with({{"FORETASK_COMMAND", wrong}}).command.empty());
  }
}

TEST_CASE("counters are said to be ignored where tasks are learned") {
  const Environment environment = read_with({{"FORETASK", "learn"}, {"FORETASK_COUNTERS", "PAPI_TOT_INS"}});
  REQUIRE(environment.warnings.size() == 1);
  CHECK(warns_of(environment, "FORETASK_COUNTERS=PAPI_TOT_INS is ignored"));
}

TEST_CASE("a malformed option is one warning and its default") {
  const Environment bytes = read_with({{"FORETASK_MAX_BYTES", "lots"}});
  CHECK(bytes.max_bytes == 0);
  REQUIRE(bytes.warnings.size() == 1);
  CHECK(warns_of(bytes, "FORETASK_MAX_BYTES"));
  for (const char* wrong : {"soon", "12x", "-", "99999999999999999999"}) {
    const Environment launch = read_with({{"FORETASK_LAUNCH_NS", wrong}});
    CAPTURE(wrong);
    CHECK(launch.launch_ns == 0);
    REQUIRE(launch.warnings.size() == 1);
    CHECK(warns_of(launch, "FORETASK_LAUNCH_NS"));
  }
}

TEST_CASE("an unknown variable is one warning, another program's variable none") {
  const Environment environment = read_with({{"FORETASK_MAXBYTES", "1"}, {"FORETASK_", ""}, {"FORETASKS", "x"}});
  CHECK(environment.warnings.size() == 2);
  CHECK(warns_of(environment, "FORETASK_MAXBYTES"));
  CHECK_FALSE(warns_of(environment, "FORETASKS"));
}

TEST_CASE("parameters are lines NAME=VALUE, the value as it stands") {
  const Environment environment = read_with({{"FORETASK_PARAMS", "n=512\n\nkind=a=b\nempty=\nbare\n=x"}});
  const EnvironmentOf::Variables expected = {{"n", "512"}, {"kind", "a=b"}, {"empty", ""}};
  CHECK(environment.params == expected);
  REQUIRE(environment.warnings.size() == 2);
  CHECK(warns_of(environment, "'bare'"));
  CHECK(warns_of(environment, "'=x'"));
}

TEST_CASE("the program gets back the environment that its user gave") {
  ::setenv("UNIT_TEST_CHANGED", "the launcher's", 1);
  ::setenv("UNIT_TEST_ADDED", "the launcher's", 1);
  ::setenv("UNIT_TEST_OTHER", "the user's", 1);
  {
    const EnvironmentOf::Variables changed = {
        {"FORETASK_LAUNCHER_VARS", "UNIT_TEST_CHANGED=a=b c\nUNIT_TEST_ADDED\n\n=x\n"}};
    const EnvironmentOf scope(changed);
    foretask::base::restore_environment();
    CHECK(std::getenv("FORETASK_LAUNCHER_VARS") == nullptr);
  }
  CHECK(std::string(std::getenv("UNIT_TEST_CHANGED")) == "a=b c");
  CHECK(std::getenv("UNIT_TEST_ADDED") == nullptr);
  CHECK(std::string(std::getenv("UNIT_TEST_OTHER")) == "the user's");
  ::unsetenv("UNIT_TEST_CHANGED");
  ::unsetenv("UNIT_TEST_OTHER");
}

TEST_CASE("with a prefix only variables with such names are given back, and again all at the end") {
  ::setenv("UNIT_TEST_CHANGED", "the launcher's", 1);
  ::setenv("UNIT_TEST_ADDED", "the launcher's", 1);
  ::setenv("UNIT_OTHER", "the launcher's", 1);
  const std::string list = "UNIT_OTHER=the user's\nUNIT_TEST_CHANGED=a\nUNIT_TEST_ADDED";
  {
    const EnvironmentOf scope({{"FORETASK_LAUNCHER_VARS", list}});
    foretask::base::restore_environment("UNIT_TEST_");
    CHECK(std::string(std::getenv("UNIT_TEST_CHANGED")) == "a");
    CHECK(std::getenv("UNIT_TEST_ADDED") == nullptr);
    CHECK(std::string(std::getenv("UNIT_OTHER")) == "the launcher's");
    CHECK(std::string(std::getenv("FORETASK_LAUNCHER_VARS")) == list);
    // The runtime may have changed one meanwhile.
    ::setenv("UNIT_TEST_CHANGED", "the runtime's", 1);
    foretask::base::restore_environment();
    CHECK(std::string(std::getenv("UNIT_TEST_CHANGED")) == "a");
    CHECK(std::string(std::getenv("UNIT_OTHER")) == "the user's");
    CHECK(std::getenv("FORETASK_LAUNCHER_VARS") == nullptr);
  }
  ::unsetenv("UNIT_TEST_CHANGED");
  ::unsetenv("UNIT_OTHER");
}

// Asked by the address sanitizer where this program is built with it: its search for leaks attaches to the process,
// which no set-uid process lets it do.
extern "C" const char* __asan_default_options() { return ::getauxval(AT_SECURE) != 0 ? "detect_leaks=0" : ""; }

// Run by the test below, as a set-uid copy of this program.
TEST_CASE("a set-uid process reads no variable", "[.]") {
  const Environment environment = read_environment();
  CHECK(environment.mode.is_off());
  CHECK(environment.out.empty());
  CHECK(environment.warnings.empty());
}

TEST_CASE("a set-uid process writes nowhere that its caller says") {
  const foretask::test::TempFolder folder;
  struct statvfs mount {};
  if (::geteuid() != 0 || ::statvfs(folder.path().c_str(), &mount) != 0 || (mount.f_flag & ST_NOSUID) != 0)
    FORETASK_SKIP("needs root, and a file system that honours set-uid");
  // Root starts a program that belongs to another user and takes on its identity.
  const std::string copy = folder / "program";
  std::filesystem::copy_file("/proc/self/exe", copy);
  constexpr uid_t kNobody = 65534;
  REQUIRE(::chown(copy.c_str(), kNobody, kNobody) == 0);
  REQUIRE(::chmod(copy.c_str(), 04755) == 0);
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  const EnvironmentOf scope({{"FORETASK", "record"}, {"FORETASK_OUT", "/x"}, {"FORETASK_NONSENSE", "x"}});
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl(copy.c_str(), copy.c_str(), "a set-uid process reads no variable", nullptr);
    ::_exit(127);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

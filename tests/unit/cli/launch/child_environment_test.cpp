// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/program_image.hpp"

#include <algorithm>

#include "catch.hpp"

using foretask::cli::ChildEnvironment;

namespace {

std::vector<std::string> assignments(ChildEnvironment& environment) {
  std::vector<std::string> texts;
  for (const char* const text : environment.pointers())
    if (text != nullptr) texts.emplace_back(text);
  std::sort(texts.begin(), texts.end());
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("an unchanged environment is passed on as it is") {
  const char* const given[] = {"B=2", "A=", "C=x=y", nullptr};
  ChildEnvironment environment(given);
  CHECK(assignments(environment) == Texts{"A=", "B=2", "C=x=y"});
}

TEST_CASE("every change is noted so that it can be undone") {
  const char* const given[] = {"OLD=was", "PATHS=/a:/b", "LINES=a\nb", nullptr};
  ChildEnvironment environment(given);
  environment.set("NEW", "1");
  environment.set("OLD", "is");
  environment.set("OLD", "is later");
  environment.prepend("PATHS", "/mine");
  environment.prepend("FRESH", "/mine");
  environment.set("LINES", "c");
  CHECK(assignments(environment) ==
        Texts{"FORETASK_LAUNCHER_VARS=NEW\nOLD=was\nPATHS=/a:/b\nFRESH\nLINES\nFORETASK_LAUNCHER_VARS", "FRESH=/mine",
              "LINES=c", "NEW=1", "OLD=is later", "PATHS=/mine:/a:/b"});
}

TEST_CASE("an outer launcher's note is not passed on") {
  const char* const given[] = {"FORETASK_LAUNCHER_VARS=A", "A=1", nullptr};
  ChildEnvironment environment(given);
  CHECK(assignments(environment) == Texts{"A=1"});
}

TEST_CASE("a library in a folder whose name has a blank is preloaded by its name") {
  const char* const given[] = {"LD_PRELOAD=/theirs.so", nullptr};
  ChildEnvironment environment(given);
  environment.preload("/opt/lib/first.so");
  CHECK(*environment.find("LD_PRELOAD") == "/opt/lib/first.so:/theirs.so");
  CHECK(environment.find("LD_LIBRARY_PATH") == nullptr);
  environment.preload("/opt/my tools/lib/second.so");
  CHECK(*environment.find("LD_PRELOAD") == "second.so:/opt/lib/first.so:/theirs.so");
  CHECK(*environment.find("LD_LIBRARY_PATH") == "/opt/my tools/lib");
}

TEST_CASE("a value can be written in place at the last moment") {
  const char* const given[] = {"X=1", nullptr};
  ChildEnvironment environment(given);
  environment.set("TIME", "000");
  const auto pointers = environment.pointers();
  environment.value_of("TIME")[0] = '7';
  CHECK(std::any_of(pointers.begin(), pointers.end(),
                    [](const char* text) { return text && text == std::string("TIME=700"); }));
  CHECK(environment.value_of("MISSING") == nullptr);
}

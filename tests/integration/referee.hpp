// SPDX-License-Identifier: Apache-2.0
// What babeltrace2, the reference reader of the Common Trace Format, makes of a recording.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

#include "integration/cli_command.hpp"

namespace record_test {

struct EventCounts {
  std::map<std::string, std::uint64_t> by_name;
  std::int64_t depend_waits = 0;  // creations with the flag that says: no task, a taskwait with dependences
  std::int64_t empty_tasks = 0;   // with the flag that says: it has no body
  std::int64_t discarded = 0;     // events that it says are not there
  [[nodiscard]] std::uint64_t of(const std::string& name) const {
    const auto found = by_name.find(name);
    return found == by_name.end() ? 0 : found->second;
  }
  // Every kind of creation, taskwaits with dependences included.
  [[nodiscard]] std::uint64_t creations() const {
    return of("task_create") + of("task_create_far") + of("task_create_flagged");
  }
};

inline bool has_referee() {
  static const bool found = std::system("babeltrace2 --version >/dev/null 2>&1") == 0;
  return found;
}

// Events by name. Each line reads "[time] (+gap) host NAME: { context }, { fields }".
inline EventCounts read_by_referee(const std::string& folder) {
  constexpr std::uint32_t kWaitFlag = 32;  // foretask_task_flag: FORETASK_TASK_WAIT
  constexpr std::uint32_t kEmptyFlag = 512;
  const cli_test::Scratch scratch;
  const std::string errors = scratch / "errors";
  const std::string command =
      "babeltrace2 " + cli_test::quoted(folder) + " 2>" + cli_test::quoted(errors) + " </dev/null";
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  EventCounts counts;
  char* line = nullptr;
  std::size_t room = 0;
  while (::getline(&line, &room, pipe) > 0) {
    const std::string text = line;
    const std::size_t end = text.find(": {");
    REQUIRE(end != std::string::npos);
    const std::size_t begin = text.rfind(' ', end - 1) + 1;
    const std::string name = text.substr(begin, end - begin);
    ++counts.by_name[name];
    if (name != "task_create_flagged") continue;
    const std::size_t flags = text.find("flags = 0x");
    REQUIRE(flags != std::string::npos);
    const std::uint64_t bits = std::stoul(text.substr(flags + 10), nullptr, 16);
    if ((bits & kWaitFlag) != 0) ++counts.depend_waits;
    if ((bits & kEmptyFlag) != 0) ++counts.empty_tasks;
  }
  std::free(line);
  const int status = ::pclose(pipe);
  INFO(cli_test::contents(errors));
  REQUIRE(status == 0);
  // "WARNING: Tracer discarded 259107 events ... within stream ..." is its way to tell a loss; nothing else may be
  // said.
  const std::string words = cli_test::contents(errors);
  constexpr std::string_view kLoss = "WARNING: Tracer discarded ";
  for (std::size_t at = 0; (at = words.find(kLoss, at)) != std::string::npos; at += kLoss.size())
    counts.discarded += std::stoll(words.substr(at + kLoss.size()));
  CHECK(words.find("ERROR") == std::string::npos);
  CHECK((words.find("WARNING") == std::string::npos || words.find("discarded") != std::string::npos));
  return counts;
}

}  // namespace record_test

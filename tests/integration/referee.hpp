// SPDX-License-Identifier: Apache-2.0
// What babeltrace2, the reference reader of the Common Trace Format, makes of a recording.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

#include "integration/cli_command.hpp"

namespace record_test {

struct EventCounts {
  std::map<std::string, std::uint64_t> by_name;
  std::int64_t depend_waits = 0;  // creations with the flag that says: no task, a taskwait with dependences
  std::int64_t empty_tasks = 0;   // with the flag that says: it has no body
  std::int64_t discarded = 0;     // events that are not there, by the heads of the packets that have events
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
  std::map<std::string, std::int64_t> dropped;  // by worker; a later packet has more
  char* line = nullptr;
  std::size_t room = 0;
  while (::getline(&line, &room, pipe) > 0) {
    const std::string text = line;
    const std::size_t end = text.find(": {");
    REQUIRE(end != std::string::npos);
    const std::size_t begin = text.rfind(' ', end - 1) + 1;
    const std::string name = text.substr(begin, end - begin);
    ++counts.by_name[name];
    const auto number_behind = [&text](const std::string& field) {
      const std::size_t at = text.find(field);
      REQUIRE(at != std::string::npos);
      return text.substr(at + field.size(), text.find(',', at) - at - field.size());
    };
    dropped[number_behind("worker = ")] = std::stoll(number_behind("events_dropped = "));
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
  for (const auto& [worker, events] : dropped) counts.discarded += events;
  const std::string words = cli_test::contents(errors);
  CHECK(words.find("ERROR") == std::string::npos);
  CHECK(words.find("WARNING") == std::string::npos);
  return counts;
}

}  // namespace record_test

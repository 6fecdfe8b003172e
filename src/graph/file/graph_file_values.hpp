// SPDX-License-Identifier: Apache-2.0
// Values of a task-graph file's objects: members, lengths of time, integers. Each leaves what is wrong with the cursor
// and returns false then.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "graph/file/graph_file_cursor.hpp"

namespace foretask::graph {

inline constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

// Calls member(key) for each member of the object at the cursor.
template <typename Member>
bool read_object(LineCursor& cursor, Member member) {
  if (!cursor.expect('{')) return false;
  if (cursor.take('}')) return true;
  std::string scratch;
  do {
    std::string_view key;
    if (!cursor.string(key, scratch) || !cursor.expect(':') || !member(key)) return false;
  } while (cursor.take(','));
  return cursor.expect('}');
}

// A length of time in ns: not negative, in range once it is nanoseconds. `what` names it in the message.
bool read_time(LineCursor& cursor, std::string_view what, int unit_power, std::int64_t& time_ns);

// An integer from `lowest` to `highest`.
bool read_integer(LineCursor& cursor, std::string_view what, std::int64_t lowest, std::int64_t highest,
                  std::int64_t& value);

}  // namespace foretask::graph

// SPDX-License-Identifier: Apache-2.0
#include "graph/file/graph_file_values.hpp"

namespace foretask::graph {

bool read_time(LineCursor& cursor, std::string_view what, int unit_power, std::int64_t& time_ns) {
  if (unit_power == 0 && cursor.short_integer(time_ns)) {
    return time_ns >= 0 || cursor.fail(std::string(what) + " is negative");
  }
  Decimal value;
  if (!cursor.number(value, what)) return false;
  if (value.negative && !value.is_zero()) return cursor.fail(std::string(what) + " is negative");
  const auto ns = scaled_to_integer(value, unit_power);
  if (!ns) return cursor.fail(std::string(what) + " does not fit in 63 bits of nanoseconds");
  time_ns = *ns;
  return true;
}

bool read_integer(LineCursor& cursor, std::string_view what, std::int64_t lowest, std::int64_t highest,
                  std::int64_t& value) {
  if (!cursor.short_integer(value)) {
    Decimal decimal;
    if (!cursor.number(decimal, what)) return false;
    const auto integer = exact_integer(decimal);
    if (!integer) return cursor.fail(std::string(what) + " is not an integer of 64 bits");
    value = *integer;
  }
  if (value >= lowest && value <= highest) [[likely]]
    return true;
  return cursor.fail(std::string(what) + (value < 0 && lowest == 0 ? " is negative" : " is out of range"));
}

}  // namespace foretask::graph

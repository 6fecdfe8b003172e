// SPDX-License-Identifier: Apache-2.0
#include "report/plain_text.hpp"

#include "catch.hpp"

using foretask::report::wrapped;

TEST_CASE("a sentence breaks at the last blank within 110 columns, and goes on where it began") {
  const std::string fifty(50, 'a');
  CHECK(wrapped(fifty + ' ' + std::string(59, 'b') + '\n') == fifty + ' ' + std::string(59, 'b') + '\n');
  CHECK(wrapped(fifty + ' ' + std::string(60, 'b') + " c\nd") == fifty + '\n' + std::string(60, 'b') + " c\nd");
  CHECK(wrapped("  " + fifty + ' ' + fifty + " 1234567\n") == "  " + fifty + ' ' + fifty + "\n  1234567\n");
  CHECK(wrapped("  - " + fifty + ' ' + fifty + " 12345\n") == "  - " + fifty + ' ' + fifty + "\n    12345\n");
  // A letter of two bytes is one column.
  CHECK(wrapped(fifty + ' ' + fifty + " ±±±±±±±±\n") == fifty + ' ' + fifty + " ±±±±±±±±\n");
}

TEST_CASE("a row of a table, a long word and an empty line stay") {
  const std::string word(120, 'a');
  CHECK(wrapped(word + "  1  2\n") == word + "  1  2\n");
  CHECK(wrapped("\n" + word + "\n\n") == "\n" + word + "\n\n");
  CHECK(wrapped("b " + word + " c") == "b\n" + word + "\nc");
  CHECK(wrapped("").empty());
}

// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/data_table.hpp"

#include "catch.hpp"

using namespace foretask;
using analysis::parse_data_table;

namespace {

std::string error_of(const std::string& text) {
  const auto table = parse_data_table(text, "f.csv");
  REQUIRE_FALSE(table.ok());
  return table.error().message();
}

}  // namespace

TEST_CASE("a table has its columns by name, in the file's order") {
  const auto table = parse_data_table("a,b,T\n1,2.5,-3e2\n4,5,6\n", "f.csv");
  REQUIRE(table);
  CHECK(table->names == std::vector<std::string>{"a", "b", "T"});
  CHECK(table->rows() == 2);
  CHECK(*table->column("b") == std::vector<double>{2.5, 5});
  CHECK(*table->column("T") == std::vector<double>{-300, 6});
  CHECK(table->column("c") == nullptr);
}

TEST_CASE("quotes, spaces, Windows' line ends, a byte order mark and empty lines at the end do not count") {
  const auto table = parse_data_table("\xef\xbb\xbf\"a\" , \"b,\"\"c\"\"\"\r\n +1, \"2\"\r\n\r\n\n", "f.csv");
  REQUIRE(table);
  CHECK(table->names == std::vector<std::string>{"a", "b,\"c\""});
  CHECK(table->rows() == 1);
  CHECK(*table->column("a") == std::vector<double>{1});
}

TEST_CASE("a last line without an end is a row") { CHECK(parse_data_table("a\n1\n2", "f.csv")->rows() == 2); }

TEST_CASE("errors name the file, the line and the column") {
  CHECK(error_of("") == "f.csv:1: the file is empty: a line of column names was expected");
  CHECK(error_of("a,b\n") == "f.csv:1: there is no row below the column names");
  CHECK(error_of("a,a\n1,2\n") == "f.csv:1: two columns are called 'a'");
  CHECK(error_of("a,,b\n1,2,3\n") == "f.csv:1: column 2 has no name");
  CHECK(error_of("a,b\n1,2\n3,x4\n") == "f.csv:3: column 'b': 'x4' is no number");
  CHECK(error_of("a,b\n1,2x\n") == "f.csv:2: column 'b': '2x' is no number");
  CHECK(error_of("a,b\n1,0x10\n") == "f.csv:2: column 'b': '0x10' is no number");
  CHECK(error_of("a,b\n1,NA\n") == "f.csv:2: column 'b': 'NA' is no number");
  CHECK(error_of("a,b\n,2\n") == "f.csv:2: column 'a': is empty");
  CHECK(error_of("a,b\n1,nan\n") == "f.csv:2: column 'b': 'nan' is not finite");
  CHECK(error_of("a,b\n-inf,1\n") == "f.csv:2: column 'a': '-inf' is not finite");
  CHECK(error_of("a,b\n1e999,1\n") == "f.csv:2: column 'a': '1e999' is beyond what a double holds");
  CHECK(error_of("a,b\n1\n") == "f.csv:2: the row has 1 column, the line of names 2");
  CHECK(error_of("a,b\n1,2\n1,2,3\n") == "f.csv:3: the row has 3 columns, the line of names 2");
  CHECK(error_of("a,b\n1,2\n\n3,4\n") == "f.csv:3: the row has 1 column, the line of names 2");
  CHECK(error_of("a,b\n\"1,2\n") == "f.csv:2: a quote is not closed, or text follows it");
}

TEST_CASE("a file that cannot be read is named") {
  const auto table = analysis::read_data_table("/nonexistent/f.csv");
  REQUIRE_FALSE(table.ok());
  CHECK(table.error().message().find("/nonexistent/f.csv") != std::string::npos);
}

// SPDX-License-Identifier: Apache-2.0
#include "trace/kernel_file.hpp"

#include "catch.hpp"
#include "unit/base/temp_folder.hpp"

namespace trace = foretask::trace;
using foretask::test::TempFolder;
using foretask::test::write_content;

TEST_CASE("definitions are read back as they were written, a line each, whatever their names are") {
  const std::vector<trace::KernelDefinition> written{
      {0, "gemm", {"m", "n", "k"}}, {7, "a \"b\"\n\\ \xc3\xa9 \x01", {}}, {4294967295U, "x", {",", "{}"}}};
  std::string text;
  for (const auto& one : written) {
    const std::string line = trace::kernel_line(one);
    CHECK(std::count(line.begin(), line.end(), '\n') == 1);
    text += line;
  }
  const TempFolder folder;
  write_content(folder / "file", text);
  std::size_t skipped = 9;
  const auto read = trace::read_kernel_file(folder / "file", skipped);
  CHECK(skipped == 0);
  REQUIRE(read.size() == written.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    CHECK(read[i].id == written[i].id);
    CHECK(read[i].name == written[i].name);
    CHECK(read[i].parameters == written[i].parameters);
  }
}

TEST_CASE("a file cut at any byte gives the kernels of its whole lines") {
  const std::string first = trace::kernel_line({1, "one", {"a"}});
  const std::string text = first + trace::kernel_line({2, "two", {}});
  const TempFolder folder;
  for (std::size_t size = 0; size <= text.size(); ++size) {
    write_content(folder / "file", text.substr(0, size));
    std::size_t skipped = 0;
    const auto read = trace::read_kernel_file(folder / "file", skipped);
    CAPTURE(size);
    // A line without its end alone is whole.
    const std::size_t whole = size >= text.size() - 1 ? 2 : size >= first.size() - 1 ? 1 : 0;
    CHECK(read.size() == whole);
  }
}

TEST_CASE("lines that make no sense are counted and left out") {
  const TempFolder folder;
  std::size_t skipped = 0;
  CHECK(trace::read_kernel_file(folder / "none", skipped).empty());
  CHECK(skipped == 0);
  write_content(
      folder / "file",
      "\n{}\n[]\n1\n{\"kernel\": -1, \"name\": \"a\"}\n{\"kernel\": 1}\n{\"kernel\": 1, \"name\": \"\"}\n"
      "{\"kernel\": 2, \"name\": \"b\", \"parameters\": [1]}\n{\"kernel\": 2, \"name\": 3}\n"
      "{\"kernel\": 2, \"name\": \"b\", \"parameters\": [\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\"]}\n"
      "{\"kernel\": 4294967296, \"name\": \"b\"}\n{\"kernel\": 3, \"name\": \"c\"}\n"
      "{\"kernel\": 3, \"name\": \"again\"}\n");
  const auto read = trace::read_kernel_file(folder / "file", skipped);
  REQUIRE(read.size() == 1);
  CHECK(read[0].name == "c");
  CHECK(skipped == 11);
}

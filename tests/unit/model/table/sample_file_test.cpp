// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/sample_file.hpp"

#include <string>
#include <vector>

#include "catch.hpp"

using foretask::analysis::parse_samples;
using foretask::analysis::read_samples;

namespace {

std::vector<double> values_of(const std::string& text, const std::string& column = {}) {
  const auto samples = parse_samples(text, "f.csv", column);
  INFO((samples ? std::string() : samples.error().message()));
  REQUIRE(samples.ok());
  return samples->values;
}

std::string problem(const std::string& text, const std::string& column = {}) {
  const auto values = parse_samples(text, "f.csv", column);
  REQUIRE_FALSE(values.ok());
  return values.error().message();
}

}  // namespace

TEST_CASE("samples are one number a line, with or without a name above") {
  CHECK(values_of("1.5\n2e-3\n-4\n") == std::vector<double>{1.5, 2e-3, -4});
  CHECK(values_of("time\r\n1.5\r\n2\r\n\r\n") == std::vector<double>{1.5, 2});
  CHECK(values_of("3\n3") == std::vector<double>{3, 3});
}

TEST_CASE("samples are one column of a table, whatever stands in the others") {
  CHECK(values_of("time,kernel\n1,a\n2,b\n") == std::vector<double>{1, 2});
  CHECK(values_of("kernel,time\na,1\nb,2\n", "time") == std::vector<double>{1, 2});
  CHECK(values_of("1,x\n2,\n") == std::vector<double>{1, 2});
}

TEST_CASE("a sample that is no finite number is refused by its line") {
  CHECK(problem("1\n2\nabc\n") == "f.csv:3: 'abc' is no number");
  CHECK(problem("nan\n2\n") == "f.csv:1: 'nan' is not finite");
  CHECK(problem("t\n1\ninf\n") == "f.csv:3: 'inf' is not finite");
  CHECK(problem("1\n\n2\n") == "f.csv:2: the number is missing");
  CHECK(problem("1x\n2\n") == "f.csv:1: '1x' is no number");
  CHECK(problem("t,u\n1,2\n3\n") == "f.csv:3: the row has 1 column, the line of names 2");
}

TEST_CASE("a file that may not have been meant as one column of times is warned of") {
  const auto warnings_of = [](const std::string& text, const std::string& column = {}) {
    return parse_samples(text, "f.csv", column)->warnings;
  };
  using Warnings = std::vector<std::string>;
  CHECK(warnings_of("1\n0\n") == Warnings{});
  CHECK(warnings_of("t,n\n1,-2\n3,4\n") == Warnings{});
  CHECK(warnings_of("1,-2\n3,4\n") ==
        Warnings{"f.csv: it has 2 columns and no line that names them. The first column counts"});
  CHECK(warnings_of("t,n\n1,-2\n3,4\n5,-6\n", "n") == Warnings{"f.csv: 2 of its 3 values are below 0, as no time is"});
}

TEST_CASE("fewer than two samples are refused") {
  CHECK(problem("") == "f.csv: the file is empty: it has no number");
  CHECK(problem(" \n\n") == "f.csv: the file is empty: it has no number");
  CHECK(problem("time\n") == "f.csv: has no number below the column names");
  CHECK(problem("5\n") == "f.csv: has one number only: a distribution takes two or more");
}

TEST_CASE("a column of samples that is not there is answered with those that are") {
  CHECK(problem("a,b\n1,2\n", "time") == "f.csv:1: no column is called 'time': there are 'a', 'b'");
  CHECK(read_samples("/nowhere/f.csv").error().message() == "/nowhere/f.csv: cannot open: No such file or directory");
}

// SPDX-License-Identifier: Apache-2.0
// T(n, p) of programs of loops alone: answers agree with what was recorded, and with their own bounds.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "integration/cli_command.hpp"

using cli_test::contents;
using cli_test::example;
using cli_test::Outcome;
using cli_test::Scratch;
using nlohmann::json;

namespace {

// Median times by n and p, of a campaign's table: its columns n, p and time.
std::map<std::pair<double, double>, double> recorded_medians(const std::string& table) {
  std::map<std::pair<double, double>, std::vector<double>> times;
  std::istringstream lines(table);
  std::string line;
  std::getline(lines, line);
  std::istringstream names(line);
  std::vector<std::string> columns;
  for (std::string name; std::getline(names, name, ',');) columns.push_back(name);
  while (std::getline(lines, line)) {
    std::map<std::string, std::string> row;
    std::istringstream cells(line);
    for (const std::string& column : columns) std::getline(cells, row[column], ',');
    times[{std::stod(row.at("n")), std::stod(row.at("p"))}].push_back(std::stod(row.at("time")));
  }
  std::map<std::pair<double, double>, double> medians;
  for (auto& [cell, of_runs] : times) {
    std::sort(of_runs.begin(), of_runs.end());
    medians[cell] = of_runs.at(of_runs.size() / 2);
  }
  return medians;
}

}  // namespace

TEST_CASE("a recorded loop program is answered as it was recorded, and no answer is below its bound") {
  for (const char* const program : {"triangular", "triangular_gcc", "stencil_gcc", "mandelbrot"}) {
    INFO(program);
    const Scratch scratch;
    const Outcome swept = cli_test::foretask(scratch,
                                             {"sweep", "--set", "n=100,200,300,400", "--cores", "1,2", "--repeat", "3",
                                              "--out", "runs", "--", example(program), "-n", "{n}"},
                                             "export OMP_SCHEDULE=static;");
    INFO(swept.err);
    REQUIRE(swept.exit_code == 0);
    const auto medians = recorded_medians(contents(scratch / "runs/table.csv"));
    REQUIRE(medians.size() == 8);
    const Outcome asked = cli_test::foretask(
        scratch, {"predict", "runs", "--set", "n=100,200,300,400,800", "--cores", "1,2,4", "--json"});
    INFO(asked.err);
    const json answers = json::parse(asked.out).at("rows");
    REQUIRE(answers.size() == 15);
    for (const json& answer : answers) {
      INFO(answer);
      const double time = answer.at("time");
      // Of rounding, at most.
      CHECK(time >= answer.at("lower_bound").get<double>() * (1 - 1e-9));
      CHECK(time <= answer.at("high").get<double>());
      const auto recorded = medians.find({answer.at("n"), answer.at("p")});
      if (recorded != medians.end()) CHECK(time == Approx(recorded->second));
    }
  }
}

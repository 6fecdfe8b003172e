// SPDX-License-Identifier: Apache-2.0
#include "report/predict/prediction.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "unit/base/temp_folder.hpp"

using namespace foretask;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

// Where the workers' time goes, in shares of p x time.
analysis::ProgramPrediction row_of(double p, double time, double delay = 0, double no_work = 0, double span = 0) {
  const double total = p * time;
  return {.n = 100,
          .p = p,
          .time = time,
          .low = 0.9 * time,
          .high = 1.1 * time,
          .work = (1 - delay - no_work) * total,
          .delay = delay * total,
          .no_work = no_work * total,
          .serial_work = (1 - delay - no_work) * total,
          .create_task = 7,
          .span = span,
          .lower_bound = 0.8 * time,
          .upper_bound = 1.2 * time};
}

report::Prediction prediction_of(std::vector<analysis::ProgramPrediction> rows) {
  report::Prediction prediction;
  prediction.is_in_ns = true;
  prediction.chosen = "growth";
  prediction.models = {{"growth", 0.05, 1, ""}};
  prediction.rows = std::move(rows);
  return prediction;
}

// The line behind the answer.
std::string advice_of(std::vector<analysis::ProgramPrediction> rows) {
  std::istringstream text(report::prediction_text(prediction_of(std::move(rows))));
  std::string line;
  std::getline(text, line);
  std::getline(text, line);
  return line;
}

std::string figure_of(const report::Prediction& prediction) {
  const test::TempFolder folder;
  auto output = report::Output::open(folder / "figure.svg");
  REQUIRE(output.ok());
  report::write_prediction_svg(prediction, *output);
  REQUIRE(output->finish().ok());
  return test::content_of(folder / "figure.svg");
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("where more workers are slower that is said, and why") {
  CHECK(advice_of({row_of(1, 3.2e7), row_of(2, 4.5e7, 0.2), row_of(4, 5.1e7, 0.6)}) ==
        "More than 1 worker is slower. On 4, 60.0 % of the workers' time is scheduler delay, the runtime's own work or "
        "waits for it: larger tasks or regions would help, "
        "unless other programs held the processors in the recorded runs.");
  CHECK(advice_of({row_of(4, 5.1e7, 0, 0.5, 1e6), row_of(1, 9e7), row_of(2, 4.5e7)}) ==
        "More than 2 workers are slower. On 4, the workers have no task to run for 50.0 % of their time: the critical "
        "path (1.00 ms) is the limit.");
}

TEST_CASE("a program scales where more workers were asked for and are faster") {
  CHECK(advice_of({row_of(1, 8e7), row_of(2, 4e7), row_of(4, 2e7)}) ==
        "On 4 workers, 100.0 % of the workers' time is work: it scales.");
  CHECK(advice_of({row_of(1, 8e7), row_of(1, 8e7)}).empty());
  // A ninth more workers that make it a tenth faster bring what they can.
  CHECK(advice_of({row_of(32, 1.1e7), row_of(36, 1e7)}) ==
        "On 36 workers, 100.0 % of the workers' time is work: it scales.");
}

TEST_CASE("more workers bring little where the last step did") {
  CHECK(
      advice_of({row_of(1, 8e7), row_of(2, 5e7), row_of(4, 4.9e7, 0, 0.5)}) ==
      "On 4 workers, the workers have no task to run for 50.0 % of their time: too few tasks are ready at a time. More "
      "workers bring little.");
  CHECK(advice_of({row_of(1, 8e7), row_of(2, 5e7), row_of(4, 3e7, 0, 0.3)}) ==
        "On 4 workers, the workers have no task to run for 30.0 % of their time: too few tasks are ready at a time.");
}

TEST_CASE("long times leave the columns of a prediction in line") {
  const std::string text = report::prediction_text(prediction_of({row_of(1, 3599e9), row_of(2, 9e22)}));
  CHECK_THAT(text, ContainsSubstring("59 min 59 s") && ContainsSubstring("2.9e+06 years"));
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i < 4; ++i) std::getline(lines, line);
  const std::size_t width = line.size();
  for (int i = 0; i < 2; ++i) {
    std::getline(lines, line);
    CHECK(line.size() == width);
  }
}

TEST_CASE("what makes an answer doubtful stands beside it") {
  report::Prediction prediction = prediction_of({row_of(16, 1e6)});
  prediction.runs = {{.n = 10, .p = 1}, {.n = 5, .p = 2}};
  prediction.warnings = {"the runs have only two sizes"};
  const auto begins = [&prediction](const std::string& text) {
    CHECK_THAT(report::prediction_text(prediction), StartsWith(text + "\nWarning: the runs have only two sizes\n\n"));
  };
  const std::string answer = "n = 100 takes 1.00 ms on 16 workers (90 % interval: 900 us to 1.10 ms).";
  begins(answer + " Far beyond the runs: 10 times their largest n.");
  prediction.runs.front().n = 12.5;  // 8 times
  begins(answer);
  prediction.runs.back().p = 1;
  begins(answer + " Far beyond the runs: 16 times their most workers.");
  prediction.runs.front().n = 4;
  begins(answer + " Far beyond the runs: 20 times their largest n, 16 times their most workers.");
}

TEST_CASE("an absurd error has a few digits") {
  report::Prediction prediction = prediction_of({row_of(1, 1e6)});
  prediction.models = {{"growth", 1e150, 1, ""}, {"lasso", 9.5, 0, ""}};
  const std::string text = report::prediction_text(prediction);
  CHECK_THAT(text, ContainsSubstring("      > 1000 %  answers\n") && ContainsSubstring("       950.0 %"));
}

TEST_CASE("a prediction's comma-separated values call the size as the program does, and have all columns") {
  report::Prediction prediction = prediction_of({row_of(2, 10)});
  prediction.size_name = "size";
  CHECK(report::prediction_csv(prediction) ==
        "size,p,time,low,high,work,delay,no_work,lower_bound,upper_bound,T1prime,create_task,span\n"
        "100,2,10,9,11,20,0,0,8,12,20,7,0\n");
}

TEST_CASE("a figure's legend stays within it, and says what is left out") {
  report::Prediction prediction = prediction_of({});
  for (const double n : {1e6, 2e6, 3e6, 4e6, 5e6, 6e6, 7e6, 8e6})
    for (const double p : {1.0, 2.0}) {
      prediction.rows.push_back(row_of(p, n / p));
      prediction.rows.back().n = n;
    }
  const std::string figure = figure_of(prediction);
  CHECK_THAT(figure, ContainsSubstring("6 of 8 sizes drawn") && ContainsSubstring("n = 6000000<") &&
                         !ContainsSubstring("n = 7000000<") && ContainsSubstring("bounds (n = 1000000)") &&
                         ContainsSubstring("height=\"486\""));
  for (std::size_t at = figure.find("translate("); at != std::string::npos; at = figure.find("translate(", at + 1))
    CHECK(std::stod(figure.substr(at + 10)) < 900);
}

TEST_CASE("a figure of one number of workers shows the interval, and each axis has labels") {
  const std::string figure = figure_of(prediction_of({row_of(36, 1.23e6)}));
  CHECK_THAT(figure, ContainsSubstring("m-6 0h12") && ContainsSubstring(">36</text>"));
  CHECK(count_of(figure, "class=\"end\"") >= 4);
}

TEST_CASE("or-parallel sections are answered without a model of the whole program") {
  foretask::report::Prediction prediction;
  prediction.is_in_ns = true;
  foretask::analysis::Speculation section;
  section.section = "search (a.c:7)";
  section.searches = 40;
  section.found = 10;
  section.at_once = 4;
  section.rows = {{.workers = 8, .mean = 2e6, .sd = 1e6, .p90 = 3e6, .low = 1e6, .high = 3e6, .gain = 1.5}};
  section.rows.front().beyond_sample = true;
  section.rows.push_back(
      {.workers = 2, .mean = 4e6, .sd = 1e6, .p90 = 5e6, .low = std::nan(""), .high = std::nan(""), .gain = 0.75});
  section.rows.back().at_least = true;
  section.notes = {"something to know"};
  prediction.speculative = {section};
  const std::string text = foretask::report::prediction_text(prediction);
  CHECK(text.find("Or-parallel section search (a.c:7): 40 searches, 10 found a solution, 4 at once.") == 0);
  CHECK(text.find("1.50  *\n") != std::string::npos);
  CHECK(text.find("*: rests on a fitted tail beyond") != std::string::npos);
  CHECK(text.find("unknown    0.75  +\n") != std::string::npos);
  CHECK(text.find("+: the times are lower bounds") != std::string::npos);
  CHECK(text.find("Note: something to know.") != std::string::npos);
  const auto json = nlohmann::json::parse(foretask::report::prediction_json(prediction));
  CHECK(json.at("rows").empty());
  const auto& one = json.at("speculative").at(0);
  CHECK(one.at("section") == "search (a.c:7)");
  CHECK(one.at("rows").at(0).at("workers") == 8);
  CHECK(one.at("rows").at(0).at("p90") == 3e6);
  CHECK(one.at("rows").at(0).at("gain") == 1.5);
  CHECK(one.at("rows").at(0).at("beyond_sample") == true);
  CHECK(one.at("rows").at(0).at("at_least") == false);
  CHECK(one.at("rows").at(1).at("low").is_null());
  CHECK(one.at("rows").at(1).at("high").is_null());
  CHECK(one.at("rows").at(1).at("at_least") == true);
}

// SPDX-License-Identifier: Apache-2.0
// foretask compose: expressions with files and recordings, and what is said of those that cannot be.
#include <cmath>
#include <nlohmann/json.hpp>

#include "integration/cli_command.hpp"

using namespace cli_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using nlohmann::json;

namespace {

// 1,000 values spread evenly over an exponential distribution of mean 1.
void write_exponential(const Scratch& scratch, const std::string& name, const std::string& head = "") {
  std::ofstream file(scratch / name);
  file << head;
  for (int i = 0; i < 1000; ++i) file << -std::log1p(-(i + 0.5) / 1000) << "\n";
}

json answer(const Scratch& scratch, std::vector<std::string> words) {
  words.insert(words.begin(), "compose");
  words.emplace_back("--json");
  const Outcome outcome = foretask(scratch, words);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return json::parse(outcome.out);
}

void expect_error(const Scratch& scratch, const std::string& expression, const std::string& message) {
  const Outcome outcome = foretask(scratch, {"compose", expression});
  CAPTURE(expression);
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, StartsWith("foretask: error: compose: " + message));
}

}  // namespace

TEST_CASE("a program of parts from a file and of known families is answered as JSON") {
  const Scratch scratch;
  write_exponential(scratch, "search.csv", "time\n");
  const json found = answer(scratch, {"seq(exp(1), or(16, file:search.csv), branch(0.3: normal(2,0.1), 0.7: const(1)))",
                                      "--resamplings", "20"});
  // Mean 1 + 1/16 + 0.3 x 2 + 0.7; variance 1 + 1/256 + 0.3 x 4.01 + 0.7 - 1.3^2.
  CHECK(found["mean"].get<double>() == Approx(2.3625).epsilon(0.003));
  CHECK(found["sd"].get<double>() == Approx(std::sqrt(1.21690625)).epsilon(0.003));
  REQUIRE(found["moments"].size() == 4);
  CHECK(found["moments"][0] == found["mean"]);
  CHECK(found["moments"][1].get<double>() == Approx(1.21690625 + 2.3625 * 2.3625).epsilon(0.005));
  std::vector<std::string> names;
  double last = -1;
  for (const auto& [name, value] : found["quantiles"].items()) {
    names.push_back(name);
    CHECK(value.get<double>() > last);
    last = value;
  }
  CHECK(names == std::vector<std::string>{"p01", "p05", "p10", "p25", "p50", "p75", "p90", "p95", "p99"});
  CHECK(found["status"] == "ok");
  CHECK(found["method"].is_string());
  CHECK(found["errors"]["mean"].get<double>() > 0);
  CHECK(found["errors"]["quantiles"]["p99"].get<double>() > 0);
  CHECK(found["copies"].is_null());
}

TEST_CASE("the least of two measured times is that of their order statistics") {
  const Scratch scratch;
  std::ofstream(scratch / "a b, c.csv") << "kernel,time\nx,1\ny,2\nz,3\nu,4\n";
  // Of two from {1, 2, 3, 4}: P(min >= k) = ((5 - k) / 4)^2, so that the mean is (16 + 9 + 4 + 1) / 16.
  for (const char* file : {"file:\"a b, c.csv\":time", "\"file:a b, c.csv:time\""}) {
    const json found = answer(scratch, {"or(2, " + std::string(file) + ")", "--method", "empirical"});
    CHECK(found["mean"].get<double>() == Approx(30.0 / 16).epsilon(1e-9));
    CHECK(found["quantiles"]["p99"] == 4);
    CHECK(found["copies"]["ends"] == "first");
    REQUIRE(found["copies"]["others"].size() == 3);
    CHECK(found["copies"]["others"][0]["n"] == 1);
    CHECK(found["copies"]["others"][0]["mean"].get<double>() == Approx(2.5).epsilon(1e-9));
    CHECK(found["copies"]["others"][2]["n"] == 8);
  }
}

TEST_CASE("the text says the mean, quantiles, and what other numbers of workers give") {
  const Scratch scratch;
  write_exponential(scratch, "a.csv");
  const Outcome outcome = foretask(scratch, {"compose", "and(4, exp(12))"});
  // 12 (1 + 1/2 + 1/3 + 1/4), of 2 and of 8.
  CHECK_THAT(outcome.out, StartsWith("Mean 25, standard deviation "));
  CHECK_THAT(outcome.out, ContainsSubstring("\n        50 %  "));
  CHECK_THAT(outcome.out, ContainsSubstring("\n           2  18 "));
  CHECK_THAT(outcome.out, ContainsSubstring("\n           8  32.6143 "));
  CHECK_THAT(outcome.out, !ContainsSubstring("±"));
  const Outcome measured = foretask(scratch, {"compose", "file:a.csv", "--resamplings", "20"});
  CHECK_THAT(measured.out, ContainsSubstring(" ± "));
  const Outcome beyond = foretask(scratch, {"compose", "and(1e6, file:a.csv)", "--resamplings", "5"});
  CHECK_THAT(beyond.out, ContainsSubstring("Beyond the sample: this many copies reach times that are rarer"));
}

TEST_CASE("a recorded kernel is a distribution of its tasks' times in seconds") {
  const Scratch scratch;
  if (!fs::exists(example("cholesky"))) FORETASK_SKIP("the examples are not built");
  REQUIRE(foretask(scratch, {"record", "--out", "run", "--", example("cholesky"), "-n", "512", "-b", "64"},
                   "OMP_NUM_THREADS=2; export OMP_NUM_THREADS;")
              .exit_code == 0);
  const json report = json::parse(foretask(scratch, {"report", "run", "--json"}).out);
  const json* kernel = nullptr;
  for (const json& known : report.at("kernels"))
    if (known.at("count").get<int>() >= 20) kernel = &known;
  REQUIRE(kernel != nullptr);
  const json found = answer(scratch, {"kernel:run/" + kernel->at("name").get<std::string>(), "--resamplings", "0"});
  CHECK(found["mean"].get<double>() == Approx(kernel->at("mean_ns").get<double>() * 1e-9).epsilon(1e-6));
  expect_error(scratch, "seq(1, kernel:run/nothing)", "column 8: run: ");
  expect_error(scratch, "kernel:run", "column 1: run: the kernel's name is missing: write kernel:RUN/NAME");
  expect_error(scratch, "kernel:walk/fib", "column 1: walk/fib: no part of it is the folder of a recorded run");
}

TEST_CASE("an expression that cannot be is answered with the place and the reason") {
  const Scratch scratch;
  std::ofstream(scratch / "empty.csv");
  std::ofstream(scratch / "one.csv") << "5\n";
  std::ofstream(scratch / "nan.csv") << "time\n1\nnan\n";
  std::ofstream(scratch / "word.csv") << "1\n2\nthree\n";
  expect_error(scratch, "seq(1, branch(0.3: normal(2,0.1), 0.6: const(1)))",
               "column 8: probabilities sum to 0.9, not 1\n"
               "  seq(1, branch(0.3: normal(2,0.1), 0.6: const(1)))\n"
               "         ^\n");
  expect_error(scratch, "or(0, exp(1))", "column 4: the number of copies has to be a whole number from 1");
  expect_error(scratch, "and(2.5, exp(1))", "column 5: the number of copies has to be a whole number from 1");
  expect_error(scratch, "seq(exq(1))", "column 5: 'exq' is unknown; the nearest known name is 'exp'");
  expect_error(scratch, "seq(exp(1), or(2, exp(1)", "column 15: the parenthesis of or opened here is never closed");
  expect_error(scratch, "exp(1))", "column 7: this parenthesis closes none");
  expect_error(scratch, "", "column 1: an expression was expected");
  expect_error(scratch, "or(2, file:empty.csv)", "column 7: empty.csv: the file is empty");
  expect_error(scratch, "or(2, file:one.csv)", "column 7: one.csv: has one number only");
  expect_error(scratch, "file:nan.csv:time", "column 1: nan.csv:3: 'nan' is not finite");
  expect_error(scratch, "file:nan.csv:tmie", "column 1: nan.csv:1: no column is called 'tmie': there is 'time'");
  expect_error(scratch, "file:word.csv", "column 1: word.csv:3: 'three' is no number");
  expect_error(scratch, "file:none.csv", "column 1: none.csv: cannot open: No such file");
  expect_error(scratch, "seq(1, moments(1, 1, 2, 4.9))", "column 8: ");
  expect_error(scratch, "normal(1)", "column 9: normal(MEAN, SD) takes 2 arguments, and 1 is given");
}

TEST_CASE("measured times that are all the same are a constant") {
  const Scratch scratch;
  std::ofstream(scratch / "same.csv") << "2\n2\n2\n";
  for (const char* method : {"auto", "empirical", "gld", "mixture"}) {
    CAPTURE(method);
    const json found = answer(scratch, {"and(100, file:same.csv)", "--method", method, "--resamplings", "5"});
    CHECK(found["mean"].get<double>() == Approx(2).epsilon(1e-12));
    CHECK(found["sd"].get<double>() == Approx(0).margin(1e-12));
    CHECK(found["quantiles"]["p01"].get<double>() == Approx(2).epsilon(1e-12));
  }
}

TEST_CASE("a nest of ten thousand operations is worked out") {
  const Scratch scratch;
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "seq(1,";
  CHECK(answer(scratch, {text + "exp(2)" + std::string(10'000, ')')})["mean"].get<double>() == Approx(10'002));
}

TEST_CASE("options of compose that cannot be are wrong usage") {
  const Scratch scratch;
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{},
                                                                                     {"1", "--method", "magic"},
                                                                                     {"1", "--resamplings", "-1"},
                                                                                     {"1", "--resamplings", "x"},
                                                                                     {"1", "--seed", "1.5"},
                                                                                     {"1", "2"},
                                                                                     {"1", "--csv"}}) {
    std::vector<std::string> line{"compose"};
    line.insert(line.end(), words.begin(), words.end());
    const Outcome outcome = foretask(scratch, line);
    INFO(outcome.err);
    CHECK(outcome.exit_code == 2);
  }
}

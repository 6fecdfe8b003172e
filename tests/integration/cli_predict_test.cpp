// SPDX-License-Identifier: Apache-2.0
// The documented output of predict on tables and recordings, and what it refuses.
#include <cmath>
#include <nlohmann/json.hpp>

#include "integration/cli_command.hpp"

using namespace cli_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using nlohmann::json;

namespace {

const std::string kTables = std::string(FORETASK_TESTS_DIR) + "/golden/program/";
const std::string kNames = "n,p,create_task,wait_tasks,T1prime,work,delay,no_work,time,span\n";

Outcome predict(const Scratch& scratch, const std::vector<std::string>& more) {
  std::vector<std::string> words{"predict"};
  words.insert(words.end(), more.begin(), more.end());
  return foretask(scratch, words);
}

void write(const Scratch& scratch, const std::string& name, const std::string& text) {
  std::ofstream(scratch / name) << text;
}

}  // namespace

TEST_CASE("predict --at --json: the documented keys, a row a point in the file's order") {
  const Scratch scratch;
  const Outcome outcome = predict(scratch, {"--table", kTables + "train_infamily_noise0.csv", "--at",
                                            kTables + "test_infamily_noise0.csv", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const json found = json::parse(outcome.out);
  CHECK(found["chosen"].is_string());
  bool is_listed = false;
  for (const json& model : found["models"]) {
    CHECK((model["holdout_error"].is_number() || model["holdout_error"].is_null()));
    is_listed = is_listed || model["name"] == found["chosen"];
  }
  CHECK(is_listed);
  std::ifstream truth(kTables + "test_infamily_noise0.csv");
  std::string line;
  std::getline(truth, line);
  for (const json& row : found["rows"]) {
    REQUIRE(std::getline(truth, line));
    std::vector<double> cells;
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t comma = std::min(line.find(',', begin), line.size());
      cells.push_back(std::stod(line.substr(begin, comma - begin)));
      begin = comma + 1;
    }
    CHECK(row["n"] == cells[0]);
    CHECK(row["p"] == cells[1]);
    CHECK(row["time"].get<double>() == Approx(cells[8]).epsilon(1e-6));
    CHECK(row["work"].get<double>() + row["delay"].get<double>() + row["no_work"].get<double>() ==
          Approx(row["p"].get<double>() * row["time"].get<double>()).epsilon(1e-9));
    for (const char* key : {"low", "high", "lower_bound", "upper_bound"}) CHECK(row[key].is_number());
  }
  CHECK_FALSE(std::getline(truth, line));
}

TEST_CASE("predict in words leads with the answer, and draws") {
  const Scratch scratch;
  const Outcome outcome = predict(scratch, {"--table", kTables + "train_sparselu.csv", "--set", "n=400", "--cores",
                                            "1,2,32-36:2", "--svg", "p.svg"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, StartsWith("n = 400 takes "));
  CHECK_THAT(outcome.out, ContainsSubstring("on 36 workers (90 % interval: "));
  CHECK_THAT(outcome.out, ContainsSubstring("answers"));
  const std::string figure = contents(scratch / "p.svg");
  CHECK_THAT(figure, StartsWith("<svg "));
  CHECK_THAT(figure, ContainsSubstring("speedup"));
  CHECK_THAT(figure, ContainsSubstring("n = 400"));

  const Outcome csv = predict(scratch, {"--table", kTables + "train_sparselu.csv", "--set", "n=400", "--cores", "8",
                                        "--csv", "--model", "two-step"});
  CHECK_THAT(csv.out,
             StartsWith("n,p,time,low,high,work,delay,no_work,lower_bound,upper_bound,T1prime,create_task,span\n"
                        "400,8,"));
}

TEST_CASE("a table is in ns where it is foretask's own, and in a unit of its own where it only names a machine") {
  const Scratch scratch;
  const auto unit_of = [&](const std::string& names, const std::string& cells) {
    write(scratch, "one.csv",
          "n,p,create_task,wait_tasks,T1prime,work,delay,no_work,time,span" + names +
              "\n100,1,10,5,1000,1000,10,0,1010,100" + cells + "\n200,1,20,10,2000,2000,20,0,2020,150" + cells + "\n");
    const Outcome outcome = predict(scratch, {"--table", "one.csv", "--cores", "1", "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return json::parse(outcome.out)["time_unit"];
  };
  CHECK(unit_of(",burdened_span,program,machine,run", ",100,app,00ff,r") == "ns");
  CHECK(unit_of(",machine", ",mars").is_null());
  CHECK(unit_of("", "").is_null());
}

TEST_CASE("predict from recordings of two sizes") {
  const Scratch scratch;
  const Outcome swept = foretask(scratch, {"sweep", "--set", "n=16,18,20,22", "--cores", "1,2", "--repeat", "1",
                                           "--out", "runs", "--", example("fib"), "-n", "{n}", "-x", "8"});
  INFO(swept.err);
  REQUIRE(swept.exit_code == 0);
  const Outcome outcome = predict(scratch, {"runs", "--set", "n=24", "--cores", "1,2,4", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const json found = json::parse(outcome.out);
  REQUIRE(found["rows"].size() == 3);
  CHECK(found["time_unit"] == "ns");
  CHECK(found["size"] == "n");
  bool has_replay = false;
  for (const json& model : found["models"]) has_replay = has_replay || model["name"] == "replay";
  CHECK(has_replay);
  // fib's tasks down to the cut-off are the calls of fib(n - 8): their number is known.
  const auto calls = [](int n) {
    double a = 1, b = 1;  // calls of fib(0) and fib(1)
    for (int i = 2; i <= n; ++i) {
      const double next = a + b + 1;
      a = b, b = next;
    }
    return b;
  };
  const Outcome report = foretask(scratch, {"report", "runs/n=22,p=1,1", "--json"});
  const double recorded = json::parse(report.out)["create_task"];
  CHECK(found["rows"][0]["create_task"].get<double>() / recorded == Approx(calls(24) / calls(22)).epsilon(0.05));
  const Outcome other = predict(scratch, {"runs", "--set", "size=24"});
  CHECK(other.exit_code == 1);
  CHECK_THAT(other.err, ContainsSubstring("has no parameter 'size'; it has n"));

  // The page says the same, of the runs that it is given or of the stored ones.
  const auto page = [&](const std::vector<std::string>& with) {
    std::vector<std::string> words{"report", "runs/n=22,p=1,1", "--html", "page.html"};
    words.insert(words.end(), with.begin(), with.end());
    const Outcome written = foretask(scratch, words, "export FORETASK_HOME=home;");
    CAPTURE(written.err);
    CHECK(written.exit_code == 0);
    return contents(scratch / "page.html");
  };
  CHECK_THAT(page({}), ContainsSubstring("no others are stored on this machine"));
  CHECK_THAT(page({"--with", "runs"}),
             ContainsSubstring("id=\"predicted-map\"") && ContainsSubstring("From 8 recorded runs"));
  REQUIRE(foretask(scratch, {"predict", "runs", "--save"}, "export FORETASK_HOME=home;").exit_code == 0);
  CHECK_THAT(page({}),
             ContainsSubstring("id=\"predicted-map\"") && ContainsSubstring("From 8 stored runs on this machine"));
}

TEST_CASE("predict refuses rather than invents") {
  const Scratch scratch;
  const std::string row1 = "100,1,10,5,1000,1000,10,0,1010,100\n";
  const std::string row2 = "200,1,20,10,2000,2000,20,0,2020,150\n";
  write(scratch, "one_n.csv", kNames + row1 + "100,2,10,5,1000,1010,20,10,520,100\n");
  write(scratch, "good.csv", kNames + row1 + row2);
  struct Case {
    std::string name, text, error;
  };
  for (const Case& wrong :
       {Case{"missing.csv", "n,p,work,time\n1,1,1,1\n2,1,2,2\n", "create_task"},
        Case{"text.csv", kNames + row1 + "200,1,20,ten,2000,2000,20,0,2020,150\n", "wait_tasks"},
        Case{"negative.csv", kNames + row1 + "200,1,20,10,2000,2000,20,0,-2020,150\n", "time"},
        Case{"twice.csv", kNames + row1 + row2 + row1, "2"}, Case{"one.csv", kNames + row1, "one.csv"},
        Case{"zero_n.csv", kNames + row1 + "0,1,20,10,2000,2000,20,0,2020,150\n", "n"},
        Case{"zero_p.csv", kNames + row1 + "200,0,20,10,2000,2000,20,0,2020,150\n", "p"},
        Case{"no_serial.csv", kNames + "100,2,10,5,1000,1010,20,10,520,100\n200,2,20,10,2000,2010,20,10,1020,150\n",
             "p = 1"},
        Case{"empty.csv", "", "empty.csv"}}) {
    write(scratch, wrong.name, wrong.text);
    const Outcome outcome = predict(scratch, {"--table", wrong.name, "--set", "n=300", "--cores", "4"});
    INFO(wrong.name << ": " << outcome.err);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, StartsWith("foretask: error: "));
    CHECK_THAT(outcome.err, ContainsSubstring(wrong.error));
  }
  const Outcome other_n = predict(scratch, {"--table", "one_n.csv", "--set", "n=300", "--cores", "4"});
  CHECK(other_n.exit_code == 1);
  CHECK_THAT(other_n.err, ContainsSubstring("all runs have n = 100"));
  CHECK(predict(scratch, {"--table", "one_n.csv", "--set", "n=100", "--cores", "4"}).exit_code == 0);

  write(scratch, "at.csv", "n,p\n300,0\n");
  CHECK(predict(scratch, {"--table", "good.csv", "--at", "at.csv"}).exit_code == 1);
  CHECK(predict(scratch, {"--table", "good.csv", "--set", "n=0", "--cores", "4"}).exit_code == 2);
  CHECK(predict(scratch, {"--table", "good.csv", "--set", "n=300", "--cores", "0"}).exit_code == 2);
  CHECK(predict(scratch, {}).exit_code == 2);
  CHECK(predict(scratch, {"no-such-folder", "--set", "n=3"}).exit_code == 1);
}

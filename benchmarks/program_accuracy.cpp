// SPDX-License-Identifier: Apache-2.0
// Predicted against measured T(n, p) of six example programs, each trained on small n and few workers.
//
//   bin/program_accuracy real --out DIR [--quick] [--repeat 3] [--program NAME] [--keep]
//                                   trained on one worker and two, asked for two and 8 to 16 times the n; of fib and
//                                   nqueens, whose work is exponential in n, for the n of 11 and 7 times the work
//   bin/program_accuracy sleeping --out DIR [...]
//                                   the same with bodies that sleep, so that many threads are possible on any machine:
//                                   trained on 1 to 8 workers, asked for 30 to 36 and larger n. About 15 minutes
//
// DIR gets PROGRAM-train.csv and PROGRAM-test.csv; tables that are there already are not measured again. The training
// recordings, from which foretask knows more than from the table, are gone at the end without --keep.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "process_runner.hpp"

namespace {

using namespace foretask::benchmarks;
namespace fs = std::filesystem;

struct Campaign {
  std::string program;
  std::vector<std::string> arguments;  // besides -n; a piece's largest size is the same in all runs
  std::vector<long> train;
  std::vector<long> test;
};

struct Plan {
  std::vector<Campaign> campaigns;
  std::vector<int> train_workers;
  std::vector<int> test_workers;
  Variables variables;
};

Plan real_plan() {
  return {{{"fib", {"-x", "20"}, {35, 36, 37, 38, 39, 40, 41, 42}, {47}},
           {"nqueens", {"-x", "3"}, {9, 10, 11, 12, 13, 14, 15}, {16}},
           {"sort",
            {},
            {1'000'000, 1'500'000, 2'000'000, 2'500'000, 3'000'000, 4'000'000, 5'000'000, 6'000'000},
            {48'000'000, 96'000'000}},
           {"fft",
            {"-x", "2048", "-y", "8192"},
            {65'536, 131'072, 262'144, 524'288, 1'048'576, 2'097'152},
            {16'777'216, 33'554'432}},
           {"sparselu", {"-m", "32"}, {20, 24, 28, 32, 36, 40, 44, 48}, {384}},
           {"strassen", {"-x", "3", "-y", "32"}, {256, 320, 384, 448, 512, 640, 768, 896, 1024}, {8192}}},
          {1, 2},
          {2},
          {}};
}

// Pieces of 5 to 50 ms but for the smallest sizes, some 30 s of work to be trained on.
Plan sleeping_plan() {
  Plan plan = {
      {{"fib", {"-x", "16", "--sleep", "6200"}, {22, 23, 24, 25, 26, 27, 28, 29}, {31, 33}},
       {"nqueens", {"-x", "3", "--sleep", "14000"}, {7, 8, 9, 10, 11, 12}, {13, 14}},
       {"sort",
        {"-q", "128", "-y", "512", "--sleep", "40000"},
        {500, 1000, 2000, 4000, 8000, 16'000},
        {64'000, 128'000}},
       {"fft", {"-x", "32", "-y", "256", "--sleep", "40000"}, {512, 1024, 2048, 4096, 8192, 16'384}, {65'536, 131'072}},
       {"sparselu", {"-m", "8", "--sleep", "2000"}, {32, 36, 40, 48, 56, 64}, {80, 96}},
       {"strassen", {"-x", "0", "-y", "16", "--sleep", "7000"}, {24, 32, 48, 64, 96, 128}, {192, 256}}},
      {1, 2, 4, 8},
      {30, 33, 36},
      // More threads than processors: waiting threads must not spin.
      {{"OMP_WAIT_POLICY", "passive"}, {"OMP_DYNAMIC", "false"}}};
  for (Campaign& campaign : plan.campaigns) campaign.arguments.insert(campaign.arguments.end(), {"--spread", "10"});
  return plan;
}

void shorten(Plan& plan) {
  for (Campaign& campaign : plan.campaigns) {
    campaign.train.resize(4);
    campaign.test.resize(1);
  }
  plan.test_workers = {plan.test_workers.back()};
}

template <class Number>
std::string joined(const std::vector<Number>& numbers) {
  std::string text;
  for (const Number number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

std::string foretask() { return bin_folder() + "/foretask"; }

// One run of a test table: what `foretask report` says of it.
struct Measured {
  long n = 0;
  int p = 0;
  nlohmann::json report;
};

class Folder {
 public:
  Folder(std::string path, std::string program) : path_(std::move(path)), program_(std::move(program)) {}

  [[nodiscard]] std::string recordings() const { return path_ + "/" + program_ + "-train"; }
  [[nodiscard]] std::string train_table() const { return recordings() + ".csv"; }
  [[nodiscard]] std::string test_table() const { return path_ + "/" + program_ + "-test.csv"; }

 private:
  std::string path_;
  std::string program_;
};

void train(const Plan& plan, const Campaign& campaign, int repeat, const Folder& folder, const Scratch& scratch) {
  if (fs::exists(folder.train_table())) return;
  std::vector<std::string> command = {foretask(), "sweep",
                                      "--set",    "n=" + joined(campaign.train),
                                      "--cores",  joined(plan.train_workers),
                                      "--repeat", std::to_string(repeat),
                                      "--out",    folder.recordings(),
                                      "--",       bin_folder() + "/" + campaign.program,
                                      "-n",       "{n}"};
  command.insert(command.end(), campaign.arguments.begin(), campaign.arguments.end());
  run_program(command, plan.variables, scratch.path());
  fs::copy_file(folder.recordings() + "/table.csv", folder.train_table());
}

// Not a sweep's table: a run on one worker, which that has of every n, would take minutes. So T1prime is 0, not known.
void test(const Plan& plan, const Campaign& campaign, int repeat, const Folder& folder, const Scratch& scratch) {
  if (fs::exists(folder.test_table())) return;
  std::vector<Measured> runs;
  for (int repetition = 0; repetition < repeat; ++repetition)
    for (const long n : campaign.test)
      for (const int p : plan.test_workers) {
        const std::string run = scratch.fresh("run");
        std::vector<std::string> command = {
            foretask(), "record", "--out", run, "--", bin_folder() + "/" + campaign.program, "-n", std::to_string(n)};
        command.insert(command.end(), campaign.arguments.begin(), campaign.arguments.end());
        Variables variables = plan.variables;
        variables["OMP_NUM_THREADS"] = std::to_string(p);
        run_program(command, variables, scratch.path());
        const Finished report = run_program({foretask(), "report", run, "--json"}, {}, scratch.path());
        runs.push_back({n, p, nlohmann::json::parse(report.output)});
        if (runs.back().report.at("workers") != p || runs.back().report.at("dropped_events") != 0)
          throw std::runtime_error(campaign.program + " was not recorded as a whole on " + std::to_string(p) +
                                   " workers");
      }
  std::string text = "n,p,create_task,wait_tasks,T1prime,work,delay,no_work,time,span\n";
  for (const Measured& run : runs) {
    text += std::to_string(run.n) + "," + std::to_string(run.p);
    for (const char* const column :
         {"create_task", "wait_tasks", "", "work_ns", "delay_ns", "no_work_ns", "elapsed_ns", "span_ns"})
      text += "," + (*column == 0 ? "0" : run.report.at(column).dump());
    text += "\n";
  }
  std::ofstream(folder.test_table()) << text;
}

using Point = std::pair<double, double>;  // n, p

struct Run {
  Point point;
  double time = 0;
};

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

std::vector<Run> read_runs(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> names = split(line);
  const auto column = [&](const char* name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw std::runtime_error(path + " has no column " + name);
    return static_cast<std::size_t>(found - names.begin());
  };
  const std::size_t n = column("n");
  const std::size_t p = column("p");
  const std::size_t time = column("time");
  std::vector<Run> runs;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = split(line);
    runs.push_back({{std::stod(cells.at(n)), std::stod(cells.at(p))}, std::stod(cells.at(time))});
  }
  return runs;
}

// How far the predictions are from the runs: shares of the measured time, and of the runs within the interval.
struct Score {
  std::string chosen;
  std::vector<std::string> models;
  std::vector<double> errors;
  double covered = 0;
};

// NaN where there is none.
double number_of(const nlohmann::json& row, const char* name) {
  const nlohmann::json& value = row.at(name);
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

// By the model named, or else by foretask's choice.
Score evaluate(const Folder& folder, const std::string& model, const Scratch& scratch) {
  const std::vector<Run> runs = read_runs(folder.test_table());
  std::set<Point> points;
  for (const Run& run : runs) points.insert(run.point);
  const std::string at = scratch.path() + "/at.csv";
  {
    std::ofstream out(at);
    out << "n,p\n";
    for (const auto& [n, p] : points) out << static_cast<long>(n) << "," << static_cast<long>(p) << "\n";
  }
  std::vector<std::string> command = {foretask(), "predict"};
  if (fs::exists(folder.recordings())) {
    command.push_back(folder.recordings());
  } else {
    command.insert(command.end(), {"--table", folder.train_table()});
  }
  command.insert(command.end(), {"--at", at, "--json"});
  if (!model.empty()) command.insert(command.end(), {"--model", model});
  const auto answer = nlohmann::json::parse(run_program(command, {}, scratch.path()).output);

  std::map<Point, const nlohmann::json*> rows;
  for (const auto& row : answer.at("rows")) rows[{row.at("n").get<double>(), row.at("p").get<double>()}] = &row;
  Score score;
  score.chosen = answer.at("chosen").get<std::string>();
  for (const auto& one : answer.at("models")) score.models.push_back(one.at("name").get<std::string>());
  double covered = 0;
  for (const Run& run : runs) {
    const nlohmann::json& row = *rows.at(run.point);
    const double error = std::abs(number_of(row, "time") / run.time - 1);
    score.errors.push_back(std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
    covered += number_of(row, "low") <= run.time && run.time <= number_of(row, "high");
  }
  score.covered = covered / static_cast<double>(runs.size());
  return score;
}

double worst(const std::vector<double>& errors) { return *std::max_element(errors.begin(), errors.end()); }

void print_row(const std::string& program, const std::string& model, const std::vector<double>& errors,
               double covered) {
  std::printf("| %s | %s | %zu | %.1f %% | %.1f %% | %.0f %% |\n", program.c_str(), model.c_str(), errors.size(),
              100 * median(errors), 100 * worst(errors), 100 * covered);
  std::fflush(stdout);
}

void print_head(const char* what) {
  std::printf("| program | %s | runs | median error | worst | in the 90 %% interval |\n|---|---|---|---|---|---|\n",
              what);
}

// Those of docs/program_models.md, each of which is fitted when it is asked for.
constexpr const char* kPublished[] = {"two-step",          "two-step-nlogn", "one-step-lasso", "log-log",
                                      "log-log-quadratic", "piecewise",      "extra-p",        "work-span"};

// Each program by each model that foretask names for it, and by each published one.
void print_models(const std::vector<std::pair<Campaign, Score>>& scores, const std::string& out,
                  const Scratch& scratch) {
  std::printf("\n");
  print_head("model");
  for (const auto& [campaign, chosen] : scores) {
    std::vector<std::string> models = chosen.models;
    models.insert(models.end(), std::begin(kPublished), std::end(kPublished));
    for (const std::string& model : models) {
      try {
        const Score score = evaluate({out, campaign.program}, model, scratch);
        print_row(campaign.program, model, score.errors, score.covered);
      } catch (const std::exception&) {
        std::printf("| %s | %s | not to be fitted | | | |\n", campaign.program.c_str(), model.c_str());
      }
    }
  }
}

void compare(const Plan& plan, int repeat, const std::string& out, const std::string& only, bool keep) {
  const Scratch scratch;
  std::vector<std::pair<Campaign, Score>> scores;
  std::vector<double> errors;
  double covered = 0;
  print_head("chosen model");
  for (const Campaign& campaign : plan.campaigns) {
    if (!only.empty() && only != campaign.program) continue;
    const Folder folder(out, campaign.program);
    train(plan, campaign, repeat, folder, scratch);
    test(plan, campaign, repeat, folder, scratch);
    const Score score = evaluate(folder, "", scratch);
    print_row(campaign.program, score.chosen, score.errors, score.covered);
    covered += score.covered * static_cast<double>(score.errors.size());
    errors.insert(errors.end(), score.errors.begin(), score.errors.end());
    scores.emplace_back(campaign, score);
  }
  if (scores.empty()) throw std::runtime_error("no program is called " + only);
  print_row("all", "", errors, covered / static_cast<double>(errors.size()));
  print_models(scores, out, scratch);
  if (keep) return;
  for (const auto& [campaign, score] : scores) fs::remove_all(Folder(out, campaign.program).recordings());
}

bool has_flag(int argc, char** argv, const std::string& flag) {
  return std::find(argv, argv + argc, flag) != argv + argc;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const std::string out = option(argc, argv, "out", "");
  if ((what != "real" && what != "sleeping") || out.empty()) {
    std::fprintf(stderr,
                 "usage: program_accuracy real|sleeping --out DIR [--quick] [--repeat N] [--program NAME] [--keep]\n");
    return 2;
  }
  try {
    Plan plan = what == "real" ? real_plan() : sleeping_plan();
    const bool quick = has_flag(argc, argv, "--quick");
    if (quick) shorten(plan);
    fs::create_directories(out);
    compare(plan,
            std::stoi(option(argc, argv, "repeat",
                             quick            ? "1"
                             : what == "real" ? "3"
                                              : "2")),
            out, option(argc, argv, "program", ""), has_flag(argc, argv, "--keep"));
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "program_accuracy: %s\n", problem.what());
    return 1;
  }
}

// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/program_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/csv_field.hpp"
#include "base/file.hpp"
#include "base/number_text.hpp"
#include "model/table/csv_reader.hpp"
#include "predict/program/table_checks.hpp"

namespace foretask::predict {
namespace {

// Tables are printed with a few digits, and other recorders' clocks need not agree with each other; more than this is
// another definition of one of the columns.
constexpr double kIdentityTolerance = 0.01;
constexpr double kMostWorkers = 1e9;

}  // namespace

std::string wrong_size(double n) { return n > 0 ? "" : "the size of an input has to be above 0"; }

std::string wrong_workers(double p) {
  if (p < 1) return "the number of workers has to be at least 1";
  if (p > kMostWorkers) return "the number of workers has to be at most 1e9";
  return p == std::floor(p) ? "" : "the number of workers has to be a whole number";
}

Result<void> check_runs(const analysis::ProgramTable& table, const std::string& path) {
  if (table.runs.size() < 2) return Error{.what = "one run is not enough: give at least two", .path = path};
  if (std::none_of(table.runs.begin(), table.runs.end(), [](const auto& run) { return run.p == 1; }))
    return Error{.what = "no run has p = 1: the other runs are compared with the work on one worker. Record one",
                 .path = path};
  return {};
}

void warn_of_runs(analysis::ProgramTable& table) {
  const analysis::ProgramRun* first = nullptr;
  double first_off = 0;
  std::size_t others = 0;
  for (const analysis::ProgramRun& run : table.runs) {
    const double whole = run.p * run.time;
    const double off = (run.work + run.delay + run.no_work - whole) / whole;
    if (std::abs(off) <= kIdentityTolerance) continue;
    if (first == nullptr) {
      first = &run;
      first_off = off;
    } else {
      ++others;
    }
  }
  if (first == nullptr) return;
  std::string text = first->source + ": work + delay + no_work is " + base::number_text(100 * std::abs(first_off), 3) +
                     " %" + (first_off > 0 ? " above" : " below") + " p * time";
  if (others != 0) text += "; " + std::to_string(others) + (others == 1 ? " more run differs" : " more runs differ");
  table.warnings.push_back(std::move(text));
}

}  // namespace foretask::predict

namespace foretask::analysis {
namespace {

// A column of numbers besides n.
struct Column {
  const char* name;
  double ProgramRun::*field;
};

constexpr std::array kColumns{Column{"p", &ProgramRun::p},
                              Column{"create_task", &ProgramRun::create_task},
                              Column{"wait_tasks", &ProgramRun::wait_tasks},
                              Column{"T1prime", &ProgramRun::serial_work},
                              Column{"work", &ProgramRun::work},
                              Column{"delay", &ProgramRun::delay},
                              Column{"no_work", &ProgramRun::no_work},
                              Column{"time", &ProgramRun::time},
                              Column{"span", &ProgramRun::span}};
constexpr Column kBurdenedSpan{"burdened_span", &ProgramRun::burdened_span};  // need not be there
constexpr Column kBaseline{"baseline", &ProgramRun::baseline};                // is only written
// The first of them that is there names the program; its rows have one value.
constexpr std::array kProgramColumns{"program", "app"};
constexpr const char* kMachineColumn = "machine";
constexpr const char* kDroppedColumn = "dropped_events";
constexpr const char* kDefaultSizeName = "n";

bool may_be_empty(const Column& column) {
  return column.field == &ProgramRun::span || column.field == &ProgramRun::burdened_span;
}

std::optional<std::size_t> place_of(const std::vector<std::string>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

std::string in_quotes(std::string_view name) { return "'" + std::string(name) + "'"; }

// Reads a cell's number; what is wrong with it, by `check` too, else nothing.
std::string wrong_number(const std::string& cell, double& number, std::string (*check)(double)) {
  std::string problem = model::parse_csv_number(cell, number);
  if (!problem.empty()) return problem;
  problem = check(number);
  return problem.empty() ? problem : model::shown_cell(cell) + ": " + problem;
}

// Of a column where every row has to say the same.
class OneValue {
 public:
  OneValue() = default;
  OneValue(const char* name, std::size_t place) : name_(name), place_(place) {}

  [[nodiscard]] bool is_there() const noexcept { return name_ != nullptr; }
  [[nodiscard]] const std::string& value() const noexcept { return value_; }

  [[nodiscard]] Result<void> take(const std::vector<std::string>& cells, const model::CsvReader& reader) {
    if (!is_there()) return {};
    const std::string& cell = cells[place_];
    if (line_ == 0) {
      value_ = cell;
      line_ = reader.line();
    } else if (cell != value_) {
      return reader.fail("column " + in_quotes(name_) + ": " + model::shown_cell(cell) + ", but " +
                         model::shown_cell(value_) + " in line " + std::to_string(line_) +
                         ": all rows have to be of one " +
                         (std::string_view(name_) == kMachineColumn ? "machine" : "program"));
    }
    return {};
  }

 private:
  const char* name_ = nullptr;
  std::size_t place_ = 0;
  std::string value_;
  std::size_t line_ = 0;
};

class TableReader {
 public:
  TableReader(std::string_view text, const std::string& path, const std::string& size_name)
      : reader_(text, path), path_(path) {
    table_.size_name = size_name;
  }

  [[nodiscard]] Result<ProgramTable> read() {
    if (const auto found = find_columns(); !found) return found.error();
    std::vector<std::string> cells;
    std::map<std::vector<double>, std::size_t> line_of_row;
    while (!reader_.at_end()) {
      if (const auto row = reader_.read_row(cells); !row) return row.error();
      ProgramRun run;
      if (const auto parsed = parse(cells, run); !parsed) return parsed.error();
      std::vector<double> row{run.n};
      for (const auto& [column, place] : columns_) row.push_back(run.*column.field);
      const auto [same, is_new] = line_of_row.try_emplace(std::move(row), reader_.line());
      if (!is_new) return reader_.fail("the same row as line " + std::to_string(same->second) + ": list each run once");
      run.source = path_ + ":" + std::to_string(reader_.line());
      table_.runs.push_back(std::move(run));
    }
    if (const auto checked = predict::check_runs(table_, path_); !checked) return checked.error();
    table_.program = program_.value();
    table_.machine = machine_.value();
    predict::warn_of_runs(table_);
    return std::move(table_);
  }

 private:
  [[nodiscard]] Result<void> find_columns() {
    const auto names = reader_.read_names();
    if (!names) return names.error();
    std::string missing;
    std::size_t count = 0;
    const auto lacks = [&](std::string_view name) { missing += (count++ == 0 ? "" : ", ") + in_quotes(name); };
    if (const auto place = place_of(*names, table_.size_name)) {
      size_place_ = *place;
    } else {
      lacks(table_.size_name);
    }
    for (const Column& column : kColumns) {
      if (const auto place = place_of(*names, column.name)) {
        columns_.emplace_back(column, *place);
      } else {
        lacks(column.name);
      }
    }
    if (count == 1) return reader_.fail("column " + missing + " is missing");
    if (count > 1) return reader_.fail("columns " + missing + " are missing");
    if (const auto place = place_of(*names, kBurdenedSpan.name)) columns_.emplace_back(kBurdenedSpan, *place);
    for (const char* const name : kProgramColumns)
      if (const auto place = place_of(*names, name); place && !program_.is_there()) program_ = {name, *place};
    if (const auto place = place_of(*names, kMachineColumn)) machine_ = {kMachineColumn, *place};
    dropped_place_ = place_of(*names, kDroppedColumn);
    return {};
  }

  [[nodiscard]] Error wrong(std::string_view column, const std::string& problem) const {
    return reader_.fail("column " + in_quotes(column) + ": " + problem);
  }

  [[nodiscard]] Result<void> parse(const std::vector<std::string>& cells, ProgramRun& run) {
    if (const std::string problem = wrong_number(cells[size_place_], run.n, predict::wrong_size); !problem.empty())
      return wrong(table_.size_name, problem);
    for (const auto& [column, place] : columns_) {
      const std::string& cell = cells[place];
      if (cell.empty() && may_be_empty(column)) continue;
      double& number = run.*column.field;
      if (const std::string problem = model::parse_csv_number(cell, number); !problem.empty())
        return wrong(column.name, problem);
      if (column.field == &ProgramRun::p) {
        if (const std::string problem = predict::wrong_workers(number); !problem.empty())
          return wrong(column.name, model::shown_cell(cell) + ": " + problem);
      } else if (number < 0) {
        return wrong(column.name, model::shown_cell(cell) + " is negative");
      } else if (column.field == &ProgramRun::time && number == 0) {
        return wrong(column.name, "0: the time has to be above 0");
      }
    }
    if (const auto same = program_.take(cells, reader_); !same) return same;
    if (const auto same = machine_.take(cells, reader_); !same) return same;
    return check_dropped(cells);
  }

  [[nodiscard]] Result<void> check_dropped(const std::vector<std::string>& cells) const {
    if (!dropped_place_ || cells[*dropped_place_].empty()) return {};
    double dropped = 0;
    if (const std::string problem = model::parse_csv_number(cells[*dropped_place_], dropped); !problem.empty())
      return wrong(kDroppedColumn, problem);
    if (dropped > 0)
      return wrong(kDroppedColumn,
                   cells[*dropped_place_] + " events of this run were dropped. Its figures lack them: record it again");
    return {};
  }

  model::CsvReader reader_;
  const std::string& path_;
  ProgramTable table_;
  std::size_t size_place_ = 0;
  std::vector<std::pair<Column, std::size_t>> columns_;
  OneValue program_;
  OneValue machine_;
  std::optional<std::size_t> dropped_place_;
};

// The shortest text that reads back as the same number.
std::string exact_text(double number) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

}  // namespace

bool is_program_table_column(std::string_view name) {
  constexpr std::array kOthers{kBurdenedSpan.name, kBaseline.name, "program", "app",
                               kMachineColumn,     kDroppedColumn, "run"};
  return std::any_of(kColumns.begin(), kColumns.end(), [&](const Column& one) { return name == one.name; }) ||
         std::find(kOthers.begin(), kOthers.end(), name) != kOthers.end();
}

Result<ProgramTable> read_program_table(const std::string& path, const std::string& size_name) {
  const auto text = base::read_file(path);
  if (!text) return text.error();
  return TableReader(*text, path, size_name).read();
}

Result<std::vector<ProgramPoint>> read_program_points(const std::string& path, const std::string& size_name) {
  const auto text = base::read_file(path);
  if (!text) return text.error();
  model::CsvReader reader(*text, path);
  const auto names = reader.read_names();
  if (!names) return names.error();
  const auto size = place_of(*names, size_name);
  const auto workers = place_of(*names, "p");
  if (!size && !workers) return reader.fail("columns " + in_quotes(size_name) + ", 'p' are missing");
  if (!size || !workers) return reader.fail("column " + in_quotes(size ? "p" : size_name) + " is missing");
  std::vector<ProgramPoint> points;
  std::vector<std::string> cells;
  while (!reader.at_end()) {
    if (const auto row = reader.read_row(cells); !row) return row.error();
    ProgramPoint point;
    if (const std::string problem = wrong_number(cells[*size], point.n, predict::wrong_size); !problem.empty())
      return reader.fail("column " + in_quotes(size_name) + ": " + problem);
    if (const std::string problem = wrong_number(cells[*workers], point.p, predict::wrong_workers); !problem.empty())
      return reader.fail("column 'p': " + problem);
    points.push_back(point);
  }
  return points;
}

std::string program_table_text(const ProgramTable& table) {
  // n's column is called as the program calls it, unless that is another column's name.
  std::string text = base::csv_field(is_program_table_column(table.size_name) ? kDefaultSizeName : table.size_name);
  for (const Column& column : kColumns) text += std::string(",") + column.name;
  const bool has_baseline =
      std::any_of(table.runs.begin(), table.runs.end(), [](const ProgramRun& run) { return run.baseline > 0; });
  text += std::string(",") + kBurdenedSpan.name + ",program,machine,run";
  text += (has_baseline ? std::string(",") + kBaseline.name : "") + "\n";
  const std::string ends = "," + base::csv_field(table.program) + "," + base::csv_field(table.machine) + ",";
  for (const ProgramRun& run : table.runs) {
    text += exact_text(run.n);
    for (const Column& column : kColumns) text += "," + exact_text(run.*column.field);
    text += "," + exact_text(run.burdened_span) + ends + base::csv_field(run.source);
    text += (has_baseline ? "," + exact_text(run.baseline) : "") + "\n";
  }
  return text;
}

}  // namespace foretask::analysis

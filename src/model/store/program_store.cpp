// SPDX-License-Identifier: Apache-2.0
#include "model/store/program_store.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/number_text.hpp"
#include "model/store/store.hpp"
#include "model/store/store_lock.hpp"

namespace foretask::model {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;
constexpr std::size_t kLargestFile = std::size_t{16} << 20;
constexpr std::size_t kDeepest = 8;
constexpr std::size_t kMostKernels = 4096;
constexpr std::size_t kMostPoints = 1024;

// Amounts of a row, by their keys.
constexpr std::array<std::pair<const char*, double ProgramRow::*>, 9> kAmounts{{{"n", &ProgramRow::n},
                                                                                {"p", &ProgramRow::p},
                                                                                {"time", &ProgramRow::time},
                                                                                {"head", &ProgramRow::head},
                                                                                {"serial", &ProgramRow::serial},
                                                                                {"work", &ProgramRow::work},
                                                                                {"delay", &ProgramRow::delay},
                                                                                {"no_work", &ProgramRow::no_work},
                                                                                {"span", &ProgramRow::span}}};

bool is_amount(double value) { return std::isfinite(value) && value >= 0; }

// Throws what nlohmann throws where a member is missing or of another type.
double number_of(const json& object, const char* key) {
  const double value = object.at(key).get<double>();
  if (!is_amount(value)) throw json::other_error::create(501, "a number is negative", nullptr);
  return value;
}

ProgramRow row_of(const json& object) {
  ProgramRow row;
  row.inputs = object.at("inputs").get<std::string>();
  row.size = object.value("size", "");
  for (const auto& [key, amount] : kAmounts) row.*amount = number_of(object, key);
  row.build_id = object.at("build_id").get<std::string>();
  row.saved = object.at("saved").get<std::string>();
  for (const json& kernel : object.at("kernels")) {
    if (row.kernels.size() == kMostKernels) break;
    row.kernels.push_back(
        {kernel.at("kernel").get<std::string>(), number_of(kernel, "tasks"), number_of(kernel, "work")});
  }
  for (const json& point : object.at("curve")) {
    if (row.curve.size() == kMostPoints) break;
    row.curve.push_back({point.at(0).get<double>(), point.at(1).get<double>()});
  }
  return row;
}

json json_of(const ProgramRow& row) {
  json kernels = json::array();
  for (const ProgramKernelRow& kernel : std::span(row.kernels).first(std::min(row.kernels.size(), kMostKernels)))
    kernels.push_back({{"kernel", kernel.kernel}, {"tasks", kernel.tasks}, {"work", kernel.work}});
  json curve = json::array();
  for (const ProgressPoint& point : row.curve) curve.push_back({point.done, point.time});
  json object = {{"inputs", row.inputs}, {"size", row.size}, {"build_id", row.build_id}, {"saved", row.saved}};
  object["kernels"] = std::move(kernels);
  object["curve"] = std::move(curve);
  for (const auto& [key, amount] : kAmounts) object[key] = row.*amount;
  return object;
}

// Whether row_of() will take what json_of() makes of it.
bool can_be_read_back(const ProgramRow& row) {
  const auto of_kernel = [](const ProgramKernelRow& kernel) {
    return is_amount(kernel.tasks) && is_amount(kernel.work);
  };
  const auto of_point = [](const ProgressPoint& point) {
    return std::isfinite(point.done) && std::isfinite(point.time);
  };
  return std::all_of(kAmounts.begin(), kAmounts.end(), [&](const auto& one) { return is_amount(row.*one.second); }) &&
         std::all_of(row.kernels.begin(), row.kernels.end(), of_kernel) &&
         std::all_of(row.curve.begin(), row.curve.end(), of_point);
}

bool is_same_case(const ProgramRow& a, const ProgramRow& b) {
  return a.inputs == b.inputs && a.n == b.n && a.p == b.p && a.build_id == b.build_id;
}

bool is_same_run(const ProgramRow& a, const ProgramRow& b) {
  return is_same_case(a, b) && a.time == b.time && a.work == b.work;
}

// The row of the same case as `like` that goes first: the oldest without a course, else the oldest.
std::vector<ProgramRow>::iterator first_to_go(std::vector<ProgramRow>& rows, const ProgramRow& like) {
  auto oldest = rows.end();
  for (auto row = rows.end(); row != rows.begin();) {
    --row;
    if (!is_same_case(*row, like)) continue;
    if (row->curve.empty()) return row;
    if (oldest == rows.end()) oldest = row;
  }
  return oldest;
}

// Newest first, and so they stay; of each case as many as there is room for, one of each before a second of any.
std::vector<ProgramRow> bounded(std::vector<ProgramRow> rows) {
  std::vector<ProgramRow> kept;
  for (ProgramRow& row : rows) {
    const ProgramRow like = row;
    kept.push_back(std::move(row));
    const auto same =
        std::count_if(kept.begin(), kept.end(), [&](const auto& other) { return is_same_case(like, other); });
    if (static_cast<std::size_t>(same) > ProgramStore::kRowsOfOne) kept.erase(first_to_go(kept, like));
  }
  while (kept.size() > ProgramStore::kMostRows) {
    auto victim = kept.end() - 1;
    for (auto row = kept.end(); row != kept.begin();) {
      --row;
      if (std::count_if(kept.begin(), row, [&](const auto& other) { return is_same_case(*row, other); }) == 0) continue;
      victim = first_to_go(kept, *row);
      break;
    }
    kept.erase(victim);
  }
  return kept;
}

// A row that is none costs no other.
std::vector<ProgramRow> rows_of(const json& list) {
  std::vector<ProgramRow> rows;
  for (std::size_t i = 0; i < std::min(list.size(), ProgramStore::kMostRows); ++i) {
    try {
      rows.push_back(row_of(list[i]));
    } catch (const json::exception&) {
      continue;
    }
  }
  return rows;
}

// A program's name as a file has it: bytes that are no UTF-8 are replaced.
std::string as_written(const std::string& program) {
  const std::string text = json(program).dump(-1, ' ', false, json::error_handler_t::replace);
  const Result<json> read_back = base::parse_json<json>(text);
  return read_back ? read_back->get<std::string>() : program;
}

}  // namespace

ProgramStore::ProgramStore(std::string home, std::string machine, std::function<void(const std::string&)> warn)
    : machine_(std::move(machine)), folder_(std::move(home) + "/programs/" + machine_), warn_(std::move(warn)) {}

std::string ProgramStore::path_of(const std::string& program) const {
  return folder_ + "/" + Store::file_name(program);
}

Result<std::vector<ProgramRow>> ProgramStore::read(const std::string& program) const {
  const std::string path = path_of(program);
  const Result<json> whole = base::read_json<json>(path, {.depth = kDeepest, .size_bytes = kLargestFile});
  if (!whole && whole.error().what == base::kJsonBroken) return Error{.what = "it is not whole", .path = path};
  if (!whole) return Error{.what = whole.error().what, .path = path, .code = whole.error().code};
  const json& file = *whole;
  try {
    if (file.at("foretask_program") != kFormat) return Error{.what = "it is of another version's format", .path = path};
    if (file.at("program") != as_written(program) || file.at("machine") != machine_)
      return Error{.what = "it is of another program or machine", .path = path};
    if (!file.at("rows").is_array()) return Error{.what = "it has no rows", .path = path};
    return rows_of(file.at("rows"));
  } catch (const json::exception&) {
    return Error{.what = "it is no file of foretask's, or a part of it is missing", .path = path};
  }
}

std::vector<ProgramRow> ProgramStore::load(const std::string& program) {
  return load_or_set_aside<std::vector<ProgramRow>>(path_of(program), warn_, [&] { return read(program); });
}

Result<void> ProgramStore::add(const std::string& program, const std::vector<ProgramRow>& rows) {
  if (rows.empty()) return {};
  const std::string path = path_of(program);
  if (!std::all_of(rows.begin(), rows.end(), can_be_read_back))
    return Error{.what = "a run with a number that is negative or not finite is not kept", .path = path};
  const auto held = lock_folder(folder_);
  if (!held) return held.error();
  std::vector<ProgramRow> before_these;
  if (auto before = read(program)) {
    before_these = std::move(*before);
  } else if (before.error().code == 0) {
    warn_(set_aside(path, before.error().what));
  } else if (before.error().code != ENOENT) {
    return before.error();
  }
  std::vector<ProgramRow> all;
  const std::string now = store_time();
  for (const ProgramRow& row : rows) {
    const auto is_it = [&row](const ProgramRow& other) { return is_same_run(row, other); };
    if (std::any_of(before_these.begin(), before_these.end(), is_it) || std::any_of(all.begin(), all.end(), is_it))
      continue;
    all.push_back(row);
    all.back().saved = now;
  }
  all.insert(all.end(), std::make_move_iterator(before_these.begin()), std::make_move_iterator(before_these.end()));
  json list = json::array();
  for (const ProgramRow& row : bounded(std::move(all))) list.push_back(json_of(row));
  const json file = {
      {"foretask_program", kFormat}, {"program", program}, {"machine", machine_}, {"rows", std::move(list)}};
  return base::write_file_atomically(path, file.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
}

bool is_size(double value) { return std::isfinite(value) && value > 0; }

ProgramInput program_input(const InputNumbers& numbers, const std::string& known_size) {
  auto size = numbers.find("n");
  if (size == numbers.end() && numbers.size() == 1) size = numbers.begin();
  if (size == numbers.end()) size = numbers.find(known_size);
  if (size == numbers.end() || !is_size(size->second)) return {other_inputs(numbers, ""), 0};
  return {other_inputs(numbers, size->first), size->second};
}

std::string other_inputs(const InputNumbers& numbers, const std::string& size) {
  std::string text;
  for (const auto& [name, value] : numbers) {
    if (name == size) continue;
    text += (text.empty() ? "" : " ") + name + "=" + base::number_text(value, 17);
  }
  return text;
}

}  // namespace foretask::model

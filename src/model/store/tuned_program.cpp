// SPDX-License-Identifier: Apache-2.0
#include "model/store/tuned_program.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "base/cores.hpp"
#include "base/file.hpp"
#include "base/json_text.hpp"
#include "model/store/store.hpp"
#include "model/store/store_lock.hpp"

namespace foretask::model {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;
constexpr std::size_t kLargestFile = std::size_t{4} << 20;
constexpr std::size_t kDeepest = 8;
constexpr std::size_t kDigits = 16;

// Sixteen hexadecimal digits a number: JSON's own numbers take long to read.
std::string hexadecimal(const std::vector<std::uint64_t>& numbers) {
  std::string text;
  for (const std::uint64_t number : numbers) {
    std::array<char, kDigits> digits;
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + kDigits, number, 16);
    text.append(kDigits - static_cast<std::size_t>(end - digits.data()), '0').append(digits.data(), end);
  }
  return text;
}

std::vector<std::uint64_t> numbers_in(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  for (; text.size() >= kDigits; text.remove_prefix(kDigits)) {
    std::uint64_t number = 0;
    if (std::from_chars(text.data(), text.data() + kDigits, number, 16).ptr != text.data() + kDigits) break;
    numbers.push_back(number);
  }
  return numbers;
}

// Throws what nlohmann throws where a member is missing or of another type.
std::vector<TunedPlace> places_of(const json& list) {
  std::vector<TunedPlace> places;
  for (const json& one : list)
    places.push_back({one.at("name").get<std::string>(), one.at("version").get<std::string>(),
                      one.at("took").get<std::uint64_t>(), one.at("cells").get<decltype(TunedPlace::cells)>()});
  return places;
}

json json_of(const std::vector<TunedPlace>& places) {
  json list = json::array();
  for (const TunedPlace& place : places)
    list.push_back({{"name", place.name}, {"version", place.version}, {"took", place.took}, {"cells", place.cells}});
  return list;
}

// Those of `before` that are not in `all`, as long as there is room.
void add_others(std::vector<TunedPlace>& all, const std::vector<TunedPlace>& before) {
  for (const TunedPlace& one : before) {
    const auto is_it = [&one](const TunedPlace& other) { return other.name == one.name; };
    if (std::none_of(all.begin(), all.end(), is_it)) all.push_back(one);
  }
  all.resize(std::min(all.size(), TunedProgram::kMostPlaces));
}

Result<TunedProgram> read(const std::string& path) {
  const Result<json> file = base::read_json<json>(path, {.depth = kDeepest, .size_bytes = kLargestFile});
  if (!file) return Error{.what = file.error().what, .path = path, .code = file.error().code};
  try {
    if (file->at("foretask_tuned") != kFormat) return Error{.what = "it is of another version's format", .path = path};
    TunedProgram program;
    program.places = places_of(file->at("places"));
    program.regions = places_of(file->at("regions"));
    program.order = numbers_in(file->at("order").get<std::string>());
    program.gives_up = file->at("gives_up").get<bool>();
    return program;
  } catch (const json::exception&) {
    return Error{.what = "it is no file of foretask's, or a part of it is missing", .path = path};
  }
}

}  // namespace

TunedStore::TunedStore(const std::string& home, const std::string& program,
                       std::function<void(const std::string&)> warn)
    : folder_(home + "/tuned/" + base::processor_key()),
      path_(folder_ + "/" + Store::file_name(program)),
      warn_(std::move(warn)) {}

TunedProgram TunedStore::load() {
  return load_or_set_aside<TunedProgram>(path_, warn_, [this] { return read(path_); });
}

Result<void> TunedStore::save(TunedProgram program) {
  const auto held = lock_folder(folder_);
  if (!held) return held.error();
  auto there = read(path_);
  TunedProgram before = there ? std::move(*there) : TunedProgram{};
  add_others(program.places, before.places);
  add_others(program.regions, before.regions);
  if (program.order.empty()) program.order = std::move(before.order);
  program.order.resize(std::min(program.order.size(), TunedProgram::kMostTasks));
  const json file = {{"foretask_tuned", kFormat},
                     {"places", json_of(program.places)},
                     {"regions", json_of(program.regions)},
                     {"order", hexadecimal(program.order)},
                     {"gives_up", program.gives_up}};
  return base::write_file_atomically(path_, file.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
}

Result<std::size_t> TunedStore::forget() {
  std::error_code error;
  const bool was_there = std::filesystem::remove(path_, error);
  if (error) return Error{.what = "cannot be removed", .path = path_, .code = error.value()};
  return was_there ? 1 : 0;
}

Result<std::size_t> TunedStore::forget_all() {
  std::size_t forgotten = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    if (entry.path().extension() != ".json") continue;
    path_ = entry.path().string();
    const auto one = forget();
    if (!one) return one.error();
    forgotten += *one;
  }
  return forgotten;
}

}  // namespace foretask::model

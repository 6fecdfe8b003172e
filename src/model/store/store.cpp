// SPDX-License-Identifier: Apache-2.0
#include "model/store/store.hpp"

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/fingerprint.hpp"
#include "base/json_text.hpp"
#include "model/store/kernel_state.hpp"
#include "model/store/store_lock.hpp"

namespace foretask::model {
namespace {

using nlohmann::json;

constexpr const char* kOfAnother = "it is of another kernel or machine";
constexpr int kFormat = 1;
constexpr std::size_t kLargestFile = std::size_t{64} << 20;
// Of one class of workers the latest ones are kept.
constexpr std::size_t kVersions = 4;
constexpr std::size_t kLongestName = 180;
// Of a file's values; a model's are some six deep.
constexpr std::size_t kDeepest = 16;
constexpr const char* kBroken = "it is not whole";

// What makes `file` no file of this format, else nothing.
std::string wrong_with(const json& file) {
  if (!file.is_object() || !file.contains("foretask_models")) return "it is no file of foretask's";
  if (file["foretask_models"] != kFormat) return "it is of another version's format";
  for (const char* key : {"kernel", "machine"})
    if (!file.contains(key) || !file[key].is_string()) return std::string("its '") + key + "' is missing";
  if (!file.contains("parameters") || !file["parameters"].is_array()) return "its 'parameters' are missing";
  for (const json& name : file["parameters"])
    if (!name.is_string()) return "its 'parameters' are no names";
  if (file["parameters"].size() > kMaxParameters) return "it has too many parameters";
  if (!file.contains("entries") || !file["entries"].is_array()) return "its 'entries' are missing";
  for (const json& entry : file["entries"]) {
    for (const char* key : {"worker_class", "code_version", "saved"})
      if (!entry.contains(key) || !entry[key].is_string()) return std::string("an entry's '") + key + "' is missing";
    if (!entry.contains("generation") || !entry["generation"].is_number_unsigned() || !entry.contains("model") ||
        !entry["model"].is_object())
      return "an entry is not whole";
  }
  return {};
}

Result<json> read_json(const std::string& path) {
  Result<json> file = base::read_json<json>(path, {.depth = kDeepest, .size_bytes = kLargestFile});
  if (!file && file.error().what == base::kJsonBroken) return Error{.what = kBroken, .path = path};
  if (!file) return Error{.what = file.error().what, .path = path, .code = file.error().code};
  if (const std::string wrong = wrong_with(*file); !wrong.empty()) return Error{.what = wrong, .path = path};
  return file;
}

json* find_entry(json& file, const StoreKey& key) {
  for (json& entry : file["entries"])
    if (entry["worker_class"] == key.worker_class && entry["code_version"] == key.code_version) return &entry;
  return nullptr;
}

// Every class's oldest versions go: those saved last are first, whatever the clock said.
void drop_old_versions(json& entries) {
  json kept = json::array();
  for (json& entry : entries) {
    const auto same_class = std::count_if(kept.begin(), kept.end(), [&entry](const json& other) {
      return other["worker_class"] == entry["worker_class"];
    });
    if (static_cast<std::size_t>(same_class) < kVersions) kept.push_back(std::move(entry));
  }
  entries = std::move(kept);
}

}  // namespace

Store::Store(std::string home, std::string machine, std::function<void(const std::string&)> warn)
    : machine_(std::move(machine)), folder_(std::move(home) + "/models/" + machine_), warn_(std::move(warn)) {}

std::string Store::file_name(std::string_view kernel) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string name;
  for (const char c : kernel) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                       c == '+' || c == '-' || (c == '.' && !name.empty());
    if (plain) {
      name += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      name += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  if (name.size() > kLongestName) name = name.substr(0, kLongestName) + "-" + base::fingerprint(kernel);
  return name + ".json";
}

std::string Store::path_of(std::string_view kernel) const { return folder_ + "/" + file_name(kernel); }

StoredModel Store::load(const StoreKey& key, const KernelShape& shape) {
  return load_or_set_aside<StoredModel>(path_of(key.kernel), warn_, [&] { return read(key, shape); });
}

Result<StoredModel> Store::read(const StoreKey& key, const KernelShape& shape) {
  auto file = read_json(path_of(key.kernel));
  if (!file) {
    const int code = file.error().code;
    const bool is_kept_from_it = code != 0 && code != ENOENT && code != ENOTDIR;
    if (is_kept_from_it && has_warned_.exchange(true)) return StoredModel{};
    return file.error();
  }
  if ((*file)["kernel"] != key.kernel || (*file)["machine"] != machine_) return Error{kOfAnother};
  // Other parameters are another kernel under the same name: nothing of it can be used; save() sets it aside.
  if ((*file)["parameters"] != json(shape.parameters)) return StoredModel{};
  const json* chosen = find_entry(*file, key);
  const bool is_stale = chosen == nullptr;
  for (const json& entry : (*file)["entries"])
    if (!chosen && entry["worker_class"] == key.worker_class) chosen = &entry;
  if (!chosen) return StoredModel{};
  auto model = KernelState::restore((*chosen)["model"], shape);
  if (!model) return model.error();
  StoredModel result{std::move(*model), 0, is_stale};
  if (is_stale) {
    result.model->make_stale();
  } else {
    result.generation = (*chosen)["generation"].get<std::uint64_t>();
  }
  return result;
}

Result<Store::Lock> Store::lock() {
  if (base::has_new_root()) return Error{.what = "the process has another root folder now (chroot)", .path = folder_};
  return lock_folder(folder_);
}

std::vector<Term> Store::load_terms(const std::string& kernel, const std::vector<std::string>& parameters) {
  const auto file = read_json(path_of(kernel));
  if (!file || (*file)["kernel"] != kernel || (*file)["machine"] != machine_ ||
      (*file)["parameters"] != json(parameters) || !file->contains("terms"))
    return {};
  std::vector<Term> terms;
  for (const json& text : (*file)["terms"]) {
    auto term = parse_term(text.is_string() ? text.get<std::string>() : std::string());
    if (!term) return {};
    terms.push_back(std::move(*term));
  }
  return LinearForm::compile(terms, parameters) ? terms : std::vector<Term>{};
}

Result<std::vector<Store::Saved>> Store::save(const std::vector<Change>& changes, const std::vector<Term>& terms) {
  if (changes.empty()) return std::vector<Saved>{};
  const auto held = lock();
  if (!held) return held.error();
  return save(*held, changes, terms);
}

Result<std::vector<Store::Saved>> Store::save(const Lock& /*held*/, const std::vector<Change>& changes,
                                              const std::vector<Term>& terms) {
  std::vector<Saved> saved;
  if (changes.empty()) return saved;
  const KernelShape& shape = changes.front().model->shape();
  const std::string& kernel = changes.front().key.kernel;
  const std::string path = path_of(kernel);
  json file;
  if (auto there = read_json(path)) {
    if ((*there)["kernel"] != kernel || (*there)["machine"] != machine_) {
      warn_(set_aside(path, kOfAnother));
    } else if ((*there)["parameters"] != json(shape.parameters)) {
      warn_(set_aside(path, "its kernel has other parameters"));
    } else {
      file = std::move(*there);
    }
  } else if (there.error().code == 0) {
    warn_(set_aside(path, there.error().what));
  } else if (there.error().code != ENOENT) {
    return there.error();
  }
  if (file.is_null())
    file = {{"foretask_models", kFormat},
            {"kernel", kernel},
            {"machine", machine_},
            {"parameters", shape.parameters},
            {"entries", json::array()}};
  if (!terms.empty()) {
    file["terms"] = json::array();
    for (const Term& term : terms) file["terms"].push_back(term_text(term));
  }
  for (const Change& change : changes) {
    Saved& result = saved.emplace_back();
    json& entries = file["entries"];
    json entry = {{"worker_class", change.key.worker_class}, {"code_version", change.key.code_version}};
    if (json* const there = find_entry(file, change.key)) {
      entry = std::move(*there);
      entries.erase(static_cast<std::size_t>(there - &entries[0]));
      result.generation = entry["generation"].get<std::uint64_t>();
      if (result.generation != change.generation) {
        // Somebody else has saved since: what this process has learned is joined to that.
        if (auto theirs = KernelState::restore(entry["model"], shape)) {
          result.joined = std::move(*theirs);
        } else {
          warn_(set_aside(path, theirs.error().what));
        }
      }
    }
    if (change.generation == kOnlyNew && !result.joined) result.joined = std::make_unique<KernelModel>(shape);
    if (result.joined) result.joined->join(*change.model);
    ++result.generation;
    entry["generation"] = result.generation;
    entry["saved"] = store_time();
    if (!change.module.empty()) entry["module"] = change.module;
    entry["model"] = KernelState::save(result.joined ? *result.joined : *change.model);
    entries.insert(entries.begin(), std::move(entry));
  }
  drop_old_versions(file["entries"]);
  const auto written =
      base::write_file_atomically(path, file.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
  if (!written) return written.error();
  return saved;
}

Result<std::vector<StoredEntry>> Store::read_entries(const std::string& path) {
  auto file = read_json(path);
  if (!file) return file.error();
  std::vector<StoredEntry> entries;
  for (const json& entry : (*file)["entries"]) {
    StoredEntry result;
    result.key = {(*file)["kernel"], entry["worker_class"], entry["code_version"]};
    result.shape.parameters = (*file)["parameters"].get<std::vector<std::string>>();
    result.saved = entry["saved"];
    if (entry.contains("module") && entry["module"].is_string()) result.module = entry["module"];
    auto model = KernelState::restore(entry["model"], result.shape);
    if (!model) return Error{.what = model.error().what, .path = path};
    result.model = std::move(*model);
    entries.push_back(std::move(result));
  }
  return entries;
}

}  // namespace foretask::model

// SPDX-License-Identifier: Apache-2.0
#include "trace/run_fields.hpp"

#include <utility>

namespace foretask::trace {
namespace {

using nlohmann::json;

// Names that are kept: more tell a user nothing.
constexpr std::size_t kMostNames = 64;

const json& nothing() {
  static const json kNothing = json::object();
  return kNothing;
}

}  // namespace

RunFields::RunFields(const json& object, std::string where, std::vector<std::string>& wrong)
    : object_(object.is_object() ? &object : &nothing()), where_(std::move(where)), wrong_(&wrong) {}

void RunFields::note(const std::string& name) const {
  if (wrong_->size() < kMostNames) wrong_->push_back(where_ + name);
}

const json* RunFields::find(const char* name) const {
  const auto found = object_->find(name);
  return found == object_->end() ? nullptr : &*found;
}

const json* RunFields::find_list(const char* name) const {
  const json* const value = find(name);
  if (!value || value->is_array()) return value;
  note(name);
  return nullptr;
}

std::string RunFields::text(const char* name) const {
  const json* const value = find(name);
  if (value && value->is_string()) return value->get<std::string>();
  if (value) note(name);
  return {};
}

double RunFields::number(const char* name, double otherwise, double least, double most) const {
  const json* const value = find(name);
  if (!value) return otherwise;
  if (value->is_number()) {
    const auto number = value->get<double>();
    if (number >= least && number <= most) return number;
  }
  note(name);
  return otherwise;
}

std::int64_t RunFields::integer(const char* name, std::int64_t otherwise, std::int64_t least, std::int64_t most) const {
  const json* const value = find(name);
  if (!value) return otherwise;
  const bool fits = value->is_number_unsigned()
                        ? value->get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<std::int64_t>::max()}
                        : value->is_number_integer();
  if (fits) {
    const auto number = value->get<std::int64_t>();
    if (number >= least && number <= most) return number;
  }
  note(name);
  return otherwise;
}

std::uint64_t RunFields::count_at_most(const char* name, std::uint64_t otherwise, std::uint64_t most) const {
  const json* const value = find(name);
  if (!value) return otherwise;
  if (value->is_number_unsigned() && value->get<std::uint64_t>() <= most) return value->get<std::uint64_t>();
  note(name);
  return otherwise;
}

std::vector<std::string> RunFields::texts(const char* name) const {
  std::vector<std::string> texts;
  const json* const list = find_list(name);
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    const json& entry = (*list)[i];
    if (!entry.is_string()) note(name + ("[" + std::to_string(i) + "]"));
    texts.push_back(entry.is_string() ? entry.get<std::string>() : std::string());
  }
  return texts;
}

std::vector<std::uint64_t> RunFields::counts(const char* name, std::size_t most) const {
  std::vector<std::uint64_t> counts;
  const json* const list = find_list(name);
  for (std::size_t i = 0; list && i < list->size() && i < most; ++i) {
    const json& entry = (*list)[i];
    if (!entry.is_number_unsigned()) note(name + ("[" + std::to_string(i) + "]"));
    counts.push_back(entry.is_number_unsigned() ? entry.get<std::uint64_t>() : 0);
  }
  return counts;
}

std::vector<std::pair<std::string, std::string>> RunFields::pairs(const char* name) const {
  std::vector<std::pair<std::string, std::string>> pairs;
  const json* const value = find(name);
  if (!value) return pairs;
  if (!value->is_object()) {
    note(name);
    return pairs;
  }
  for (const auto& [key, entry] : value->items())
    pairs.emplace_back(key, entry.is_string() ? entry.get<std::string>() : entry.dump());
  return pairs;
}

RunFields RunFields::object(const char* name) const {
  const json* const value = find(name);
  if (value && !value->is_object()) note(name);
  return {value ? *value : nothing(), where_ + name + ".", *wrong_};
}

std::vector<RunFields> RunFields::objects(const char* name) const {
  std::vector<RunFields> objects;
  const json* const list = find_list(name);
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    const std::string entry = name + ("[" + std::to_string(i) + "]");
    if (!(*list)[i].is_object()) note(entry);
    objects.emplace_back((*list)[i], where_ + entry + ".", *wrong_);
  }
  return objects;
}

}  // namespace foretask::trace

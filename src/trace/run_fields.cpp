// SPDX-License-Identifier: Apache-2.0
#include "trace/run_fields.hpp"

#include "trace/run_file.hpp"

namespace foretask::trace {
namespace {

using nlohmann::json;

// Names that are kept: more tell a user nothing.
constexpr std::size_t kMostNames = 64;

const json& nothing() {
  static const json kNothing = json::object();
  return kNothing;
}

std::string place_in(const char* list, std::size_t index) { return list + ("[" + std::to_string(index) + "]"); }

}  // namespace

void FieldWriter::value(const char* name, const TraceId& id) { json_[name] = trace_id_text(id); }

void FieldWriter::value(const char* name, const Pairs& pairs) {
  json& object = json_[name] = json::object();
  for (const auto& [key, text] : pairs) object[key] = text;
}

FieldReader::FieldReader(const json& object, std::string where, std::vector<std::string>& wrong)
    : object_(object.is_object() ? &object : &nothing()), where_(std::move(where)), wrong_(&wrong) {}

void FieldReader::note(const std::string& name) const {
  if (wrong_->size() < kMostNames) wrong_->push_back(where_ + name);
}

const json* FieldReader::find(const char* name) const {
  const auto found = object_->find(name);
  return found == object_->end() ? nullptr : &*found;
}

const json* FieldReader::find_list(const char* name) const {
  const json* const found = find(name);
  if (!found || found->is_array()) return found;
  note(name);
  return nullptr;
}

void FieldReader::value(const char* name, std::string& text) const {
  const json* const found = find(name);
  if (found && found->is_string()) {
    text = found->get<std::string>();
  } else if (found) {
    note(name);
  }
}

void FieldReader::value(const char* name, std::vector<std::string>& texts) const {
  const json* const list = find_list(name);
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    const json& entry = (*list)[i];
    if (!entry.is_string()) note(place_in(name, i));
    texts.push_back(entry.is_string() ? entry.get<std::string>() : std::string());
  }
}

void FieldReader::value(const char* name, TraceId& id) const {
  std::string text;
  value(name, text);
  id = trace_id_of(text);
  if (id == TraceId{} && !text.empty() && text != trace_id_text({})) note(name);
}

void FieldReader::value(const char* name, Pairs& pairs) const {
  const json* const found = find(name);
  if (!found) return;
  if (!found->is_object()) return note(name);
  for (const auto& [key, entry] : found->items())
    pairs.emplace_back(key, entry.is_string() ? entry.get<std::string>() : entry.dump());
}

void FieldReader::value(const char* name, std::vector<std::uint64_t>& counts, std::size_t most) const {
  const json* const list = find_list(name);
  for (std::size_t i = 0; list && i < list->size() && i < most; ++i) {
    const json& entry = (*list)[i];
    if (!entry.is_number_unsigned()) note(place_in(name, i));
    counts.push_back(entry.is_number_unsigned() ? entry.get<std::uint64_t>() : 0);
  }
}

void FieldReader::value(const char* name, double& number, double least, double most) const {
  const json* const found = find(name);
  if (!found) return;
  const double given = found->is_number() ? found->get<double>() : least - 1;
  if (!(given >= least && given <= most)) return note(name);
  number = given;
}

FieldReader FieldReader::object_of(const char* name) const {
  const json* const found = find(name);
  if (found && !found->is_object()) note(name);
  return {found ? *found : nothing(), where_ + name + ".", *wrong_};
}

std::vector<FieldReader> FieldReader::objects_of(const char* name) const {
  std::vector<FieldReader> objects;
  const json* const list = find_list(name);
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    const std::string entry = place_in(name, i);
    if (!(*list)[i].is_object()) note(entry);
    objects.emplace_back((*list)[i], where_ + entry + ".", *wrong_);
  }
  return objects;
}

}  // namespace foretask::trace

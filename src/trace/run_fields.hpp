// SPDX-License-Identifier: Apache-2.0
// JSON objects to and from the members of structs, for one list of the fields that both sides go through:
//
//   void module_fields(auto& fields, auto& module) {
//     fields.value("path", module.path);
//     fields.value("base", module.base);
//   }
//
// The reader takes each field for itself: one of a wrong type or out of range keeps the default that it has, and is
// named. A missing field is not wrong.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "trace/packet.hpp"

namespace foretask::trace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

class FieldWriter {
 public:
  // Limits are the reader's.
  template <typename Value, typename... Limits>
  void value(const char* name, const Value& value, const Limits&... /*limits*/) {
    json_[name] = value;
  }
  void value(const char* name, const TraceId& id);
  void value(const char* name, const Pairs& pairs);
  // Left out unless `has`.
  template <typename Value, typename... Limits>
  void value_if(bool has, const char* name, const Value& one, const Limits&... limits) {
    if (has) value(name, one, limits...);
  }
  // list_fields(fields) lists the inner object's fields.
  template <typename ListFields>
  void object(const char* name, ListFields list_fields) {
    FieldWriter inner;
    list_fields(inner);
    json_[name] = std::move(inner.json_);
  }
  template <typename ListFields>
  void object_if(bool has, const char* name, ListFields list_fields) {
    if (has) object(name, list_fields);
  }
  // list_fields(fields, entry), of each.
  template <typename Entry, typename ListFields>
  void list(const char* name, const std::vector<Entry>& entries, ListFields list_fields) {
    nlohmann::json& array = json_[name] = nlohmann::json::array();
    for (const Entry& entry : entries) {
      FieldWriter inner;
      list_fields(inner, entry);
      array.push_back(std::move(inner.json_));
    }
  }

  [[nodiscard]] nlohmann::json take() { return std::move(json_); }

 private:
  nlohmann::json json_ = nlohmann::json::object();
};

class FieldReader {
 public:
  // `object` and `wrong`, which takes the names of wrong fields, outlive this. `where` stands before the names.
  FieldReader(const nlohmann::json& object, std::string where, std::vector<std::string>& wrong);

  void value(const char* name, std::string& text) const;
  void value(const char* name, std::vector<std::string>& texts) const;
  // What is no id is wrong, but for zeros.
  void value(const char* name, TraceId& id) const;
  // Values that are no strings are their JSON.
  void value(const char* name, Pairs& pairs) const;
  // The first `most`.
  void value(const char* name, std::vector<std::uint64_t>& counts, std::size_t most) const;
  void value(const char* name, double& number, double least, double most) const;
  template <std::integral Number>
  void value(const char* name, Number& number, Number least = std::numeric_limits<Number>::min(),
             Number most = std::numeric_limits<Number>::max()) const {
    const nlohmann::json* const found = find(name);
    if (!found) return;
    const auto take = [&](auto given) {
      if (std::cmp_less(given, least) || std::cmp_greater(given, most)) return note(name);
      number = static_cast<Number>(given);
    };
    if (found->is_number_unsigned()) return take(found->get<std::uint64_t>());
    if (found->is_number_integer()) return take(found->get<std::int64_t>());
    note(name);
  }
  template <typename Value, typename... Limits>
  void value_if(bool /*has*/, const char* name, Value& one, const Limits&... limits) const {
    value(name, one, limits...);
  }
  // Without a field where it is missing or wrong.
  template <typename ListFields>
  void object(const char* name, ListFields list_fields) const {
    FieldReader inner = object_of(name);
    list_fields(inner);
  }
  template <typename ListFields>
  void object_if(bool /*has*/, const char* name, ListFields list_fields) const {
    object(name, list_fields);
  }
  // An entry that is no object has no field.
  template <typename Entry, typename ListFields>
  void list(const char* name, std::vector<Entry>& entries, ListFields list_fields) const {
    for (FieldReader& inner : objects_of(name)) list_fields(inner, entries.emplace_back());
  }

 private:
  [[nodiscard]] const nlohmann::json* find(const char* name) const;
  [[nodiscard]] const nlohmann::json* find_list(const char* name) const;
  [[nodiscard]] FieldReader object_of(const char* name) const;
  [[nodiscard]] std::vector<FieldReader> objects_of(const char* name) const;
  void note(const std::string& name) const;

  const nlohmann::json* object_;
  std::string where_;
  std::vector<std::string>* wrong_;
};

}  // namespace foretask::trace

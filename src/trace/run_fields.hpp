// SPDX-License-Identifier: Apache-2.0
// The fields of run.json, each taken for itself: one of a wrong type or out of range has its default and is named, and
// the others are kept.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace foretask::trace {

class RunFields {
 public:
  // `object` and `wrong`, which takes the names of wrong fields, outlive this. `where` stands before the names.
  RunFields(const nlohmann::json& object, std::string where, std::vector<std::string>& wrong);

  // A missing field is not wrong.
  [[nodiscard]] std::string text(const char* name) const;
  [[nodiscard]] double number(const char* name, double otherwise, double least, double most) const;
  [[nodiscard]] std::int64_t integer(const char* name, std::int64_t otherwise, std::int64_t least,
                                     std::int64_t most) const;
  template <typename Count>
  [[nodiscard]] Count count(const char* name, Count otherwise = 0,
                            std::uint64_t most = std::numeric_limits<Count>::max()) const {
    return static_cast<Count>(count_at_most(name, otherwise, most));
  }
  [[nodiscard]] std::vector<std::string> texts(const char* name) const;
  [[nodiscard]] std::vector<std::uint64_t> counts(const char* name, std::size_t most) const;
  // Values that are no strings are their JSON.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> pairs(const char* name) const;

  // Without a field where it is missing or wrong.
  [[nodiscard]] RunFields object(const char* name) const;
  // An entry that is no object has no field.
  [[nodiscard]] std::vector<RunFields> objects(const char* name) const;

 private:
  [[nodiscard]] const nlohmann::json* find(const char* name) const;
  [[nodiscard]] const nlohmann::json* find_list(const char* name) const;
  [[nodiscard]] std::uint64_t count_at_most(const char* name, std::uint64_t otherwise, std::uint64_t most) const;
  void note(const std::string& name) const;

  const nlohmann::json* object_;
  std::string where_;
  std::vector<std::string>* wrong_;
};

}  // namespace foretask::trace

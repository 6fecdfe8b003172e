// SPDX-License-Identifier: Apache-2.0
// Kernels' names as text tables show them: short, and still different; JSON and CSV have them whole. And the kernels
// that a user means by a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::report {

// "f<int> (a.cpp:3) loop #2" is "f<int>", "a.cpp:3" and " loop #2". A name without a place is all function.
struct NameParts {
  std::string_view function;
  std::string_view place;
  std::string_view behind;
};
[[nodiscard]] NameParts parts_of(std::string_view name);

// Whether the kernel is a parallel region's code outside of tasks and seen loops.
[[nodiscard]] bool is_region(std::string_view name);

// "A<int, int>::f<B<int> >" -> "A<...>::f<...>" with `instead` "<...>". What is no longer than that stays.
[[nodiscard]] std::string without_template_arguments(std::string_view function, std::string_view instead);

// "A<...>::f" -> "f".
[[nodiscard]] std::string_view without_qualifiers(std::string_view function);

// Names beyond `columns` lose, one after the other and as far as needed: template arguments, the function's qualifiers,
// the file or module of the place, the end of the function. Those that would become equal get a number: " #2".
class ShortNames {
 public:
  static constexpr std::size_t kColumns = 44;          // in a table
  static constexpr std::size_t kSentenceColumns = 70;  // in a sentence

  explicit ShortNames(const std::vector<std::string>& names, std::size_t columns = kColumns);
  // Of what has a `name` each.
  template <typename Named>
  explicit ShortNames(const std::vector<Named>& all, std::size_t columns = kColumns) {
    std::vector<std::string> names;
    for (const Named& one : all) names.push_back(one.name);
    *this = ShortNames(names, columns);
  }

  // One line; one that was not given stays whole.
  [[nodiscard]] std::string of(const std::string& name) const;
  // Whether some lost something.
  [[nodiscard]] bool are_cut() const noexcept { return are_cut_; }

 private:
  std::map<std::string, std::string> short_;
  bool are_cut_ = false;
};

// Indices of the kernels called `wanted`: by the full name, or as a text table shortens it; else by the function part
// of "function (file:line)"; else by the function without template arguments and qualifiers, or by "file:line". Several
// kernels may share what is not the full name. The error names kernels whose names are near, in short form.
[[nodiscard]] Result<std::vector<std::uint32_t>> match_kernels(const std::vector<std::string>& names,
                                                               std::string_view wanted);

}  // namespace foretask::report

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string_view>

#include "task_body.hpp"

namespace foretask::tbb {
namespace {

using Kind = TaskClass::Kind;

// Types by their letter (Itanium C++ ABI 5.1.5.2). The first of them are integers.
struct Type {
  char letter;
  std::uint8_t bytes;
  bool is_signed;
};
constexpr std::size_t kIntegers = 11;
constexpr std::array<Type, 15> kTypes{{{'a', 1, true},
                                       {'c', 1, true},
                                       {'h', 1, false},
                                       {'s', 2, true},
                                       {'t', 2, false},
                                       {'i', 4, true},
                                       {'j', 4, false},
                                       {'l', 8, true},
                                       {'m', 8, false},
                                       {'x', 8, true},
                                       {'y', 8, false},
                                       {'b', 1, false},
                                       {'f', 4, false},
                                       {'d', 8, false},
                                       {'P', 8, false}}};

// Takes it off.
bool skip(std::string_view& text, std::string_view part) noexcept {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

// A loop over pointers, or over iterators that hold just one, to what has a known size.
TaskClass pointer_loop_of(std::string_view type) noexcept {
  static_cast<void>(skip(type, "N9__gnu_cxx17__normal_iteratorI"));
  if (!skip(type, "P") || type.empty()) return {};
  static_cast<void>(skip(type, "K"));
  const auto* const element =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const Type& one) { return one.letter == type.front(); });
  if (element == kTypes.end()) return {};
  return {.kind = Kind::kLoop, .index_bytes = sizeof(void*), .element_bytes = element->bytes};
}

// include/oneapi/tbb/parallel_for.h, parallel_reduce.h: the range is the first of their own members.
TaskClass loop_of(std::string_view parameters) noexcept {
  if (!skip(parameters, "NS1_13blocked_rangeI") || parameters.size() < 2) return {};
  if (parameters[1] != 'E') return pointer_loop_of(parameters);
  const auto* const integers = kTypes.begin() + kIntegers;
  const auto* const index =
      std::find_if(kTypes.begin(), integers, [&](const Type& one) { return one.letter == parameters.front(); });
  if (index == integers) return {};
  return {Kind::kLoop, index->bytes, index->is_signed};
}

// Classes with a function object, behind the digit of their namespace, and the words where that may be, or a reference
// to it: the first that has a function's address. oneTBB 2022 has one more member before it.
struct Caller {
  std::string_view name;
  std::string_view function;  // how the compiler writes a function there: a pointer to it, or the function
  std::uint8_t first_word;
  std::uint8_t last_word;
};
constexpr std::array<Caller, 5> kCallers{{{"113function_taskI", "PF", 8, 8},
                                          {"213function_taskI", "PF", 12, 13},
                                          {"112enqueue_taskI", "PF", 9, 9},
                                          {"116function_invokerI", "F", 8, 8},
                                          {"116function_invokerI", "RF", 8, 8}}};

}  // namespace

TaskClass task_class_of(const char* name) noexcept {
  std::string_view text = name ? name : "";
  if (!skip(text, "N3tbb6detail2")) return {};
  if (text == "r110stage_taskE") return {Kind::kStage};
  if (!skip(text, "d") || text.empty()) return {};
  for (const Caller& caller : kCallers)
    if (text.starts_with(caller.name) && text.substr(caller.name.size()).starts_with(caller.function))
      return {.kind = Kind::kFunction, .first_word = caller.first_word, .last_word = caller.last_word};
  // The namespaces are the headers' versions.
  text.remove_prefix(1);
  for (const std::string_view loop : {"9start_forI", "12start_reduceI", "26start_deterministic_reduceI"})
    if (skip(text, loop)) return loop_of(text);
  for (const std::string_view node : {"22apply_body_task_bypassI", "22input_node_task_bypassI"})
    if (text.starts_with(node)) return {Kind::kNode};
  if (text.starts_with("16feeder_item_taskI")) return {Kind::kFedItem};
  return {};
}

}  // namespace foretask::tbb

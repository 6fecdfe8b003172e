// SPDX-License-Identifier: Apache-2.0
#include "symbols/task_class_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <deque>
#include <vector>

#include "symbols/function_name.hpp"

namespace foretask::symbols {
namespace {

constexpr std::array<std::string_view, 5> kLibraries{"tbb::", "std::", "__pstl::", "__gnu_cxx::", "foretask::"};
constexpr std::array<std::string_view, 14> kBuiltIn{"true",  "false",    "bool",   "char",    "short",
                                                    "int",   "long",     "float",  "void",    "double",
                                                    "const", "unsigned", "signed", "__int128"};

bool opens(char c) { return c == '<' || c == '(' || c == '{'; }
bool closes(char c) { return c == '>' || c == ')' || c == '}'; }

// The parameters of the templates in the text, not those within them: "a<b<c>, d>::e<f>(g<h>)" has "b<c>", "d", "f".
std::vector<std::string> template_parameters(const std::string& text) {
  std::vector<std::string> parts;
  int depth = 0;
  bool is_template = false;
  for (const char c : text) {
    if (closes(c) && depth > 0) --depth;
    if (depth == 0 && opens(c)) is_template = c == '<';
    const bool begins = depth == 0 ? c == '<' : depth == 1 && c == ',' && is_template;
    if (begins) {
      parts.emplace_back();
    } else if (depth > 0 && is_template) {
      parts.back() += c;
    }
    if (opens(c)) ++depth;
  }
  return parts;
}

// How many parameters of a class template come before the user's body: ranges, iterators, values.
std::size_t parameters_before_body(std::string_view type) {
  struct Template {
    std::string_view name;  // or how it begins
    std::size_t before;
  };
  constexpr std::array<Template, 12> kTemplates{{{"start_", 1},
                                                 {"final_sum<", 1},
                                                 {"sum_node<", 1},
                                                 {"finish_scan<", 1},
                                                 {"for_each_", 1},
                                                 {"forward_block_handling_task<", 1},
                                                 {"lambda_reduce_body<", 2},
                                                 {"lambda_scan_body<", 2},
                                                 {"concrete_filter<", 2},
                                                 {"function_body_leaf<", 2},
                                                 {"multifunction_body_leaf<", 2},
                                                 {"input_body_leaf<", 1}}};
  const std::string_view head = type.substr(0, type.find('<') + 1);
  const std::string_view name = head.substr(head.rfind(':') + 1);
  const auto* const found = std::find_if(kTemplates.begin(), kTemplates.end(),
                                         [name](const Template& one) { return name.starts_with(one.name); });
  return found == kTemplates.end() ? 0 : found->before;
}

bool is_of_library(std::string_view type) {
  return std::any_of(kLibraries.begin(), kLibraries.end(), [&](std::string_view one) { return type.starts_with(one); });
}

// Built of the language's own words and signs, or a number.
bool is_built_in(std::string_view type) {
  for (std::size_t at = 0; at < type.size();) {
    if (std::isalnum(static_cast<unsigned char>(type[at])) == 0 && type[at] != '_') {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < type.size() && (std::isalnum(static_cast<unsigned char>(type[end])) != 0 || type[end] == '_')) ++end;
    const std::string_view word = type.substr(at, end - at);
    const bool is_number = std::isdigit(static_cast<unsigned char>(word.front())) != 0;
    if (!is_number && std::find(kBuiltIn.begin(), kBuiltIn.end(), word) == kBuiltIn.end()) return false;
    at = end;
  }
  return true;
}

std::string trimmed(std::string type) {
  type.erase(0, std::min(type.size(), type.find_first_not_of(' ')));
  for (;;) {
    type.resize(type.find_last_not_of(" &*") + 1);
    if (!type.ends_with(" const")) return type;
    type.resize(type.size() - std::string_view(" const").size());
  }
}

// Clang's lambdas in functions that the linker does not see: "f::$_21" -> "f::{lambda}"
void name_lambdas(std::string& name) {
  constexpr std::string_view kMark = "::$_";
  for (std::size_t at = 0; (at = name.find(kMark, at)) != std::string::npos;) {
    const std::size_t end = std::min(name.size(), name.find_first_not_of("0123456789", at + kMark.size()));
    name.replace(at, end - at, "::{lambda}");
  }
}

// "f(int)::{lambda(int)#2}::operator()(int) const::{lambda()#1}" -> "f::{lambda#2}::{lambda#1}"
std::string without_parameters(std::string name) {
  constexpr std::string_view kCall = "::operator()";
  for (std::size_t at = 0; (at = name.find(kCall, at)) != std::string::npos;) name.erase(at, kCall.size());
  name_lambdas(name);
  std::string result;
  int depth = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name[at] == '(') ++depth;
    if (depth == 0) result += name[at];
    if (name[at] == ')' && --depth == 0 && name.compare(at + 1, 6, " const") == 0) at += 6;
  }
  return result;
}

}  // namespace

bool is_execute_of_task_class(std::string_view linker_name) {
  const bool is_execute = linker_name.find("7executeE") != std::string_view::npos;
  // What foretask::invoke() makes OpenMP tasks of.
  if (linker_name.starts_with("_ZN8foretask11OpenMpTasks3runI")) return true;
  // The C++ library's parallel algorithms have classes of their own.
  if (linker_name.starts_with("_ZN6__pstl13__tbb_backend")) return is_execute;
  constexpr std::array<std::string_view, 2> kHeaders{"_ZN3tbb6detail2d", "_ZNK3tbb6detail2d"};
  const auto* const headers = std::find_if(kHeaders.begin(), kHeaders.end(),
                                           [&](std::string_view one) { return linker_name.starts_with(one); });
  if (headers == kHeaders.end()) return false;
  if (is_execute) return true;
  // What an arena calls, and what a pipeline's and a flow graph's tasks do, behind the digit of the headers' version.
  constexpr std::array<std::string_view, 5> kCalled{"19task_arena_functionI", "15concrete_filterI",
                                                    "18function_body_leafI", "23multifunction_body_leafI",
                                                    "15input_body_leafI"};
  const std::string_view name = linker_name.substr(std::min(linker_name.size(), headers->size() + 1));
  return linker_name.find("Ecl") != std::string_view::npos &&
         std::any_of(kCalled.begin(), kCalled.end(), [&](std::string_view one) { return name.starts_with(one); });
}

std::string readable_task_class(const std::string& linker_name) {
  std::string whole = demangled(linker_name).value_or(linker_name);
  // The function's own name is the last of these.
  std::size_t end = 0;
  for (const std::string_view own : {"::execute(", "::operator()("})
    if (const std::size_t at = whole.rfind(own); at != std::string::npos) end = std::max(end, at);
  if (end != 0) whole.resize(end);
  if (whole.starts_with("void ")) whole.erase(0, 5);  // of invoke()'s
  std::deque<std::string> types{whole};
  while (!types.empty()) {
    const std::string type = trimmed(types.front());
    types.pop_front();
    const bool is_pointer = type.find("(*)") < type.find('<');  // to a function: says nothing of it
    if (!is_of_library(type) && !is_built_in(type) && !is_pointer) return without_parameters(type);
    std::vector<std::string> parts = template_parameters(type);
    const std::size_t before = is_pointer ? parts.size() : std::min(parts.size(), parameters_before_body(type));
    types.insert(types.end(), parts.begin() + static_cast<std::ptrdiff_t>(before), parts.end());
  }
  return whole.substr(0, whole.find('<'));
}

std::string function_around(const std::string& readable) { return readable.substr(0, readable.find("::{lambda")); }

}  // namespace foretask::symbols

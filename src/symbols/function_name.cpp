// SPDX-License-Identifier: Apache-2.0
#include "symbols/function_name.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

namespace foretask::symbols {
namespace {

// With these begins what a compiler adds to a function's name for the code it makes for OpenMP: outlined code, and
// helpers for reductions, copies and destructors. No identifier holds a dot.
constexpr std::array<std::string_view, 7> kOutlinedMarks{"._omp_",     ".omp_",      ".omp.",   ".red_init.",
                                                         ".red_comb.", ".red_fini.", ".__kmpc_"};

// Says nothing to a reader, and not every compiler's debug information says it.
constexpr std::string_view kAnonymous = "(anonymous namespace)::";

// The "(" that the ")" at `close` belongs to; npos when there is none.
std::size_t opening(std::string_view text, std::size_t close) {
  int depth = 0;
  for (std::size_t at = close + 1; at-- > 0;) {
    if (text[at] == ')') ++depth;
    if (text[at] == '(' && --depth == 0) return at;
  }
  return std::string_view::npos;
}

// "f(int) const" -> "f"; "f" stays.
std::string_view without_parameters(std::string_view name) {
  const std::size_t close = name.rfind(')');
  if (close == std::string_view::npos) return name;
  const std::string_view behind = name.substr(close + 1);
  if (!behind.empty() && behind.find_first_not_of(" constvolatile&") != std::string_view::npos) return name;
  const std::size_t open = opening(name, close);
  return open == std::string_view::npos || open == 0 ? name : name.substr(0, open);
}

// "void f<int>" -> "f<int>"; a template's linker name holds its return type.
std::string_view without_return_type(std::string_view name) {
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const std::string_view before = name.substr(0, at);
    const bool in_operator = before.size() >= 8 && before.substr(before.size() - 8) == "operator";
    if (in_operator) break;  // what follows is the operator's name: <, (), new, bool
    if (name[at] == '<' || name[at] == '(' || name[at] == '{') ++depth;
    if (name[at] == '>' || name[at] == ')' || name[at] == '}') --depth;
    if (name[at] == ' ' && depth == 0) start = at + 1;
  }
  return name.substr(start);
}

}  // namespace

OutlinedName parse_outlined_name(std::string_view linker_name) {
  std::size_t first = std::string_view::npos;
  for (const std::string_view mark : kOutlinedMarks) first = std::min(first, linker_name.find(mark));
  if (first == std::string_view::npos) return {};
  return {true, std::string(linker_name.substr(0, first))};
}

std::optional<std::string> demangled(const std::string& linker_name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(linker_name.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || text == nullptr) return std::nullopt;
  std::string name = text.get();
  for (std::size_t at = 0; (at = name.find(kAnonymous, at)) != std::string::npos;) name.erase(at, kAnonymous.size());
  return name;
}

std::string readable_function_name(const std::string& linker_name) {
  std::optional<std::string> name = demangled(linker_name);
  if (!name) return linker_name;
  name->resize(std::min(name->size(), name->find(" [clone")));
  return std::string(without_return_type(without_parameters(*name)));
}

}  // namespace foretask::symbols

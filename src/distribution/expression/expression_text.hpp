// SPDX-License-Identifier: Apache-2.0
// The grammar of expressions of distributions: text to a syntax tree. What its parts mean, and whether they can be, is
// decided where distributions are made of it (distribution_text.cpp).
//
//   expression := NUMBER | NAME '(' argument {',' argument} ')' | ('file' | 'kernel') ':' WORD | '"' ... '"'
//   argument   := [NUMBER ':'] expression
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foretask/analysis/distribution.hpp"
#include "foretask/result.hpp"

namespace foretask::distribution {

// "column N: WHAT", and below the part of `text` around `byte`, which may be its end, with a caret. O(text).
[[nodiscard]] Error error_at(std::string_view text, std::size_t byte, const std::string& what);

// What a function's arguments mean.
enum class Operation : std::uint8_t { kFamily, kSeq, kBranch, kLoop, kAnd, kOr, kNth };

inline constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

// A function of expressions of distributions.
struct FunctionInfo {
  std::string_view name;
  std::string_view form;  // for a user who gave it something else
  std::size_t fewest;     // arguments
  std::size_t most;
  Operation operation = Operation::kFamily;
  // Of a family: from as many numbers as it takes.
  Result<analysis::Distribution> (*make)(const double* numbers) = nullptr;
};

struct Argument {
  std::size_t node = 0;                    // in Expression::nodes
  std::optional<std::size_t> probability;  // a number's node; of branch's arguments alone
};

struct ExpressionNode {
  enum class Kind : std::uint8_t { kNumber, kCall, kFile, kKernel };
  Kind kind = Kind::kNumber;
  const FunctionInfo* function = nullptr;  // of kCall
  double number = 0;                       // of kNumber: finite
  std::string text;                        // of kFile and kKernel: what stands behind the colon, without quotes
  std::size_t place = 0;                   // its first byte
  std::vector<Argument> arguments;         // of kCall
};

struct Expression {
  std::vector<ExpressionNode> nodes;  // arguments before what they are arguments of; the last one is the whole
};

// Names are known and have as many arguments as they take, probabilities stand in branch alone, and in each of its
// arguments. O(length), without recursion. Errors have the place (error_at).
[[nodiscard]] Result<Expression> parse_expression_text(std::string_view text);

}  // namespace foretask::distribution

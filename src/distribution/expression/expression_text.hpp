// SPDX-License-Identifier: Apache-2.0
// The grammar of expressions of distributions: text to a syntax tree. What its parts mean, and whether they can be, is
// decided where distributions are made of it (distribution_text.cpp).
//
//   expression := NUMBER | NAME '(' argument {',' argument} ')' | ('file' | 'kernel') ':' WORD | '"' ... '"'
//   argument   := [NUMBER ':'] expression
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "distribution/expression/function_table.hpp"
#include "foretask/result.hpp"

namespace foretask::distribution {

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

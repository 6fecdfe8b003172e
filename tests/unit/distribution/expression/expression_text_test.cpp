// SPDX-License-Identifier: Apache-2.0
#include "distribution/expression/expression_text.hpp"

#include <string>
#include <vector>

#include "catch.hpp"
#include "foretask/analysis/distribution_text.hpp"

using namespace foretask;
using distribution::Expression;
using distribution::ExpressionNode;
using distribution::parse_expression_text;

namespace {

// The tree in one spelling: the test's own, so that grammar and tree are held against each other.
std::string spelled(const Expression& expression) {
  std::vector<std::string> texts;
  for (const ExpressionNode& node : expression.nodes) {
    switch (node.kind) {
      case ExpressionNode::Kind::kNumber: {
        std::string number = std::to_string(node.number);
        number.erase(number.find_last_not_of('0') + 1);
        texts.push_back(number);
        break;
      }
      case ExpressionNode::Kind::kFile:
        texts.push_back("file<" + node.text + ">");
        break;
      case ExpressionNode::Kind::kKernel:
        texts.push_back("kernel<" + node.text + ">");
        break;
      case ExpressionNode::Kind::kCall: {
        std::string text(node.function->name);
        char separator = '[';
        for (const auto& argument : node.arguments) {
          text += separator;
          if (argument.probability) text += texts[*argument.probability] + "~";
          text += texts[argument.node];
          separator = ' ';
        }
        texts.push_back(text + "]");
      }
    }
  }
  return texts.back();
}

std::string tree(const std::string& text) {
  const auto expression = parse_expression_text(text);
  return expression ? spelled(*expression) : expression.error().message();
}

// The first line of an error, without the picture.
std::string problem(const std::string& text) {
  const auto expression = parse_expression_text(text);
  REQUIRE_FALSE(expression.ok());
  return expression.error().what.substr(0, expression.error().what.find('\n'));
}

}  // namespace

TEST_CASE("an expression of every kind of part becomes its tree") {
  CHECK(tree("seq(exp(1), or(16, file:search.csv), branch(0.3: normal(2,0.1), 0.7: const(1)))") ==
        "seq[exp[1.] or[16. file<search.csv>] branch[0.3~normal[2. 0.1] 0.7~const[1.]]]");
  CHECK(tree("nth(2, 3, loop(uniform(1,3), kernel:run/search))") ==
        "nth[2. 3. loop[uniform[1. 3.] kernel<run/search>]]");
  CHECK(tree("7") == "7.");
}

TEST_CASE("case and whitespace do not count, but in words") {
  CHECK(tree(" SEQ (\n Exp ( 1 ) ,\tFILE: A.csv\n) ") == "seq[exp[1.] file<A.csv>]");
  CHECK(tree("and(2,file:a.csv )") == "and[2. file<a.csv>]");
}

TEST_CASE("numbers are written as in C") {
  CHECK(tree("and(1e9, const(-.5))") == "and[1000000000. const[-0.5]]");
  CHECK(tree("const(+1.25E+2)") == "const[125.]");
  for (const char* word : {"1.2.3", "0x10", "5m", "1e", "-", "--1", "+-1", ".", "1e999"}) {
    CAPTURE(word);
    CHECK(problem("const(" + std::string(word) + ")").substr(0, 12 + std::string(word).size()) ==
          "column 7: '" + std::string(word) + "'");
  }
  CHECK(problem("const(nan)") == "column 7: 'nan' is no finite number");
  CHECK(problem("const(-inf)") == "column 7: '-inf' is no finite number");
}

TEST_CASE("words may hold colons, and in quotes all else") {
  CHECK(tree("file:a/b:time") == "file<a/b:time>");
  CHECK(tree("or(2, file:\"a (1), b.csv\":time)") == "or[2. file<a (1), b.csv:time>]");
  CHECK(tree("or(2, \"file:a, b.csv\")") == "or[2. file<a, b.csv>]");
  CHECK(tree(R"("kernel:run/say ""x""")") == R"(kernel<run/say "x">)");
}

TEST_CASE("a kernel is written as the report names it") {
  CHECK(tree("or(4, kernel:run/search (search.cpp:42) )") == "or[4. kernel<run/search (search.cpp:42)>]");
  CHECK(tree("seq(kernel:run/f(int, double) (f.cpp:1), 1)") == "seq[kernel<run/f(int, double) (f.cpp:1)> 1.]");
}

TEST_CASE("parentheses that do not match are named by their place") {
  CHECK(problem("seq(exp(1), or(16, exp(2))") == "column 4: the parenthesis of seq opened here is never closed");
  CHECK(problem("seq(exp(1), or(16, exp(2)") == "column 15: the parenthesis of or opened here is never closed");
  CHECK(problem("seq(exp(1), ") == "column 4: the parenthesis of seq opened here is never closed");
  CHECK(problem("exp(1))") == "column 7: this parenthesis closes none: no other is open");
  CHECK(problem("or(4, kernel:run/search (search.cpp:42") ==
        "column 3: the parenthesis of or opened here is never closed");
  CHECK(problem("or(4, file:\"a)") == "column 12: the quote opened here is never closed");
}

TEST_CASE("an unknown name is answered with the nearest known one") {
  CHECK(problem("seq(norml(1,2))") == "column 5: 'norml' is unknown; the nearest known name is 'normal'");
  CHECK(problem("flie:a") == "column 1: 'flie' is unknown; the nearest known name is 'file'");
  CHECK(problem("max(1,2)") == "column 1: 'max' is unknown; the nearest known name is 'and'");
  CHECK(problem("exponential(1)") == "column 1: 'exponential' is unknown; the nearest known name is 'exp'");
  CHECK(problem("exp") == "column 1: 'exp' takes arguments: exp(MEAN)");
}

TEST_CASE("missing arguments and too many are errors where they are") {
  CHECK(problem("normal(1)") == "column 9: normal(MEAN, SD) takes 2 arguments, and 1 is given");
  CHECK(problem("seq(normal(1,2,3))") == "column 16: normal(MEAN, SD) takes 2 arguments, and 3 are given");
  CHECK(problem("exp()") == "column 5: exp(MEAN) takes 1 argument, and none is given");
  CHECK(problem("or(16)") == "column 6: or(N, E) or or(E, E, ...) takes at least 2 arguments, and 1 is given");
  CHECK(problem("seq(1,,2)") == "column 7: an expression is missing before this ','");
  CHECK(problem("seq(1,)") == "column 7: an expression is missing before this ')'");
  CHECK(problem("  ") == "column 3: an expression was expected, and nothing is here");
  CHECK(problem("file:") == "column 1: the file's path is missing: file:PATH");
}

TEST_CASE("probabilities stand in branch, one for each of its arguments") {
  CHECK(problem("seq(0.5: 1)") == "column 8: ':' has no meaning here: probabilities stand in branch(P: E, P: E, ...)");
  CHECK(problem("branch(0.5: 1, 2)") ==
        "column 16: this argument of branch has no probability: branch(P: E, P: E, ...)");
  CHECK(problem("branch(exp(1): 2)") == "column 8: a probability is a number");
  CHECK(problem("branch(0.5: 0.5: 2)") == "column 16: this argument has its probability already");
  CHECK(problem("branch(0.5: )") == "column 13: an expression is missing before this ')'");
}

TEST_CASE("what stands behind the expression is an error") {
  CHECK(problem("exp(1), exp(2)") == "column 7: one expression was expected: several in a row are seq(E, E, ...)");
  CHECK(problem("seq(1 2)") == "column 7: ',' or ')' was expected before '2'");
  CHECK(problem("exp(1) $") == "column 8: the expression ends before '$'");
}

TEST_CASE("the picture shows the place, in characters, and cuts what is far from it") {
  const auto short_one = parse_expression_text("seq(file:\"\xc3\xa9\", nrmal(1,2))");  // e with an acute accent
  CHECK(short_one.error().what ==
        "column 15: 'nrmal' is unknown; the nearest known name is 'normal'\n"
        "  seq(file:\"\xc3\xa9\", nrmal(1,2))\n"
        "                ^");
  std::string many = "seq(";
  for (int i = 0; i < 50; ++i) many += "exp(1), ";
  const auto long_one = parse_expression_text(many + "nthh(1), " + many + "1))");
  CHECK(long_one.error().what ==
        "column 405: 'nthh' is unknown; the nearest known name is 'nth'\n"
        "  ...1), exp(1), exp(1), exp(1), exp(1), nthh(1), seq(exp(1), exp(1), exp(1), exp...\n"
        "                                         ^");
}

TEST_CASE("nests are as deep as the limit says, and no deeper") {
  const auto nest = [](std::size_t depth) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += "or(2,";
    return text + "1" + std::string(depth, ')');
  };
  const auto deepest = parse_expression_text(nest(analysis::kMostNestedOperations));
  REQUIRE(deepest.ok());
  CHECK(deepest->nodes.size() == 2 * analysis::kMostNestedOperations + 1);
  CHECK(problem(nest(analysis::kMostNestedOperations + 1)) ==
        "column 500001: operations are nested deeper than 100000");
}

// SPDX-License-Identifier: Apache-2.0
#include "distribution/expression/expression_text.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "distribution/expression/expression_picture.hpp"
#include "foretask/analysis/distribution_text.hpp"

namespace foretask::distribution {
namespace {

constexpr std::size_t kMostBytesShown = 40;  // of a word, in an error

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::string quoted(std::string_view word) {
  return "'" + std::string(word.substr(0, kMostBytesShown)) + (word.size() > kMostBytesShown ? "...'" : "'");
}

// A call whose arguments are being read.
struct OpenCall {
  ExpressionNode node;
  std::size_t parenthesis = 0;
  std::optional<std::size_t> probability;  // of the argument that comes next
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Expression> parse() {
    for (;;) {
      if (auto read = read_operand(); !read) return read.error();
      if (wants_operand_) continue;  // a call was opened
      for (;;) {
        const auto done = read_behind();
        if (!done) return done.error();
        if (*done) return std::move(expression_);
        if (wants_operand_) break;
      }
    }
  }

 private:
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] Error fail(std::size_t place, const std::string& what) const { return error_at(text_, place, what); }
  void skip_blanks() {
    while (!at_end() && is_blank(text_[at_])) ++at_;
  }

  [[nodiscard]] Error not_closed() const {
    const OpenCall& call = open_.back();
    return fail(call.parenthesis,
                "the parenthesis of " + std::string(call.node.function->name) + " opened here is never closed");
  }

  Result<void> read_operand() {
    skip_blanks();
    if (at_end()) {
      if (!open_.empty()) return not_closed();
      return fail(at_, text_.empty() || expression_.nodes.empty() ? "an expression was expected, and nothing is here"
                                                                  : "an expression was expected");
    }
    const char c = text_[at_];
    if (c == ')' && !open_.empty() && open_.back().node.arguments.empty() && !open_.back().probability)
      return close();  // says what the arguments would be
    if (c == ',' || c == ')') return fail(at_, std::string("an expression is missing before this '") + c + "'");
    if (c == '"') return read_quoted_leaf();
    if (is_digit(c) || c == '.' || c == '+' || c == '-') return read_number();
    if (is_letter(c)) return read_name();
    return fail(at_, "an expression was expected: " + character() + " begins none");
  }

  [[nodiscard]] std::string character() const {
    const auto c = static_cast<unsigned char>(text_[at_]);
    return c > ' ' && c < 0x7f ? std::string("'") + text_[at_] + "'" : "this character";
  }

  Result<void> read_number() {
    const std::size_t first = at_;
    if (text_[at_] == '+') ++at_;
    ExpressionNode node;
    const char* const end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data() + at_, end, node.number);
    const bool sign_twice = at_ > first && !at_end() && text_[at_] == '-';
    at_ = static_cast<std::size_t>(stop - text_.data());
    if (error == std::errc::invalid_argument)  // at least one character is read
      while (!at_end() && (text_[at_] == '+' || text_[at_] == '-' || text_[at_] == '.')) ++at_;
    while (!at_end() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    const std::string_view word = text_.substr(first, at_ - first);
    if (word.data() + word.size() != stop || error == std::errc::invalid_argument || sign_twice)
      return fail(first, quoted(word) + " is no number");
    if (error == std::errc::result_out_of_range) return fail(first, quoted(word) + " is beyond what a double holds");
    if (!std::isfinite(node.number)) return fail(first, quoted(word) + " is no finite number");
    node.place = first;
    return add(std::move(node));
  }

  Result<void> read_name() {
    const std::size_t first = at_;
    while (!at_end() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view name = text_.substr(first, at_ - first);
    const std::string lower = in_lower_case(name.substr(0, kMostBytesShown));
    skip_blanks();
    const char behind = at_end() ? '\0' : text_[at_];
    if (behind == ':' && (lower == "file" || lower == "kernel")) {
      ++at_;
      return read_leaf(first, lower == "file" ? ExpressionNode::Kind::kFile : ExpressionNode::Kind::kKernel);
    }
    if (lower == "file" || lower == "kernel")
      return fail(first, lower == "file" ? "a file is written file:PATH" : "a kernel is written kernel:RUN/NAME");
    if (lower == "nan" || lower == "inf" || lower == "infinity")
      return fail(first, quoted(name) + " is no finite number");
    const FunctionInfo* const known = find_function(name);
    if (known == nullptr)
      return fail(first,
                  quoted(name) + " is unknown; the nearest known name is '" + std::string(nearest_name(name)) + "'");
    if (behind != '(') return fail(first, "'" + lower + "' takes arguments: " + std::string(known->form));
    if (open_.size() >= analysis::kMostNestedOperations)
      return fail(first, "operations are nested deeper than " + std::to_string(analysis::kMostNestedOperations));
    OpenCall call;
    call.node.kind = ExpressionNode::Kind::kCall;
    call.node.function = known;
    call.node.place = first;
    call.parenthesis = at_++;
    open_.push_back(std::move(call));
    wants_operand_ = true;
    return {};
  }

  // From a quote on to the one that closes it; a doubled one stands for one.
  Result<std::string> read_quoted() {
    const std::size_t first = at_++;
    std::string word;
    for (;; ++at_) {
      if (at_end()) return fail(first, "the quote opened here is never closed");
      if (text_[at_] == '"') {
        ++at_;
        if (at_end() || text_[at_] != '"') return word;
      }
      word += text_[at_];
    }
  }

  // "file:a b.csv"
  Result<void> read_quoted_leaf() {
    const std::size_t first = at_;
    auto word = read_quoted();
    if (!word) return word.error();
    const std::size_t colon = word->find(':');
    const std::string lower = in_lower_case(std::string_view(*word).substr(0, colon));
    if (colon == std::string::npos || (lower != "file" && lower != "kernel"))
      return fail(first, "in quotes stand \"file:PATH\" and \"kernel:RUN/NAME\" alone");
    return add_leaf(first, lower == "file" ? ExpressionNode::Kind::kFile : ExpressionNode::Kind::kKernel,
                    word->substr(colon + 1));
  }

  // The word behind the colon: up to a comma or a parenthesis that is closed outside of it, in a file's name also up to
  // a blank. Parts of it may be quoted. Kernels are named with parentheses and blanks: `search (search.cpp:42)`.
  Result<void> read_leaf(std::size_t first, ExpressionNode::Kind kind) {
    skip_blanks();
    const bool is_kernel = kind == ExpressionNode::Kind::kKernel;
    std::string word;
    std::size_t kept = 0;  // without the blanks at the end
    std::size_t depth = 0;
    while (!at_end()) {
      const char c = text_[at_];
      if (c == '"') {
        const auto part = read_quoted();
        if (!part) return part.error();
        word += *part;
        kept = word.size();
        continue;
      }
      if (depth == 0 && (c == ',' || c == ')' || (!is_kernel && (c == '(' || is_blank(c))))) break;
      if (c == '(') ++depth;
      if (c == ')') --depth;
      word += c;
      ++at_;
      if (!is_blank(c)) kept = word.size();
    }
    if (depth > 0 && !open_.empty()) return not_closed();
    word.resize(kept);
    return add_leaf(first, kind, std::move(word));
  }

  Result<void> add_leaf(std::size_t first, ExpressionNode::Kind kind, std::string text) {
    if (text.empty())
      return fail(first, kind == ExpressionNode::Kind::kFile ? "the file's path is missing: file:PATH"
                                                             : "the run and the kernel are missing: kernel:RUN/NAME");
    ExpressionNode node;
    node.kind = kind;
    node.text = std::move(text);
    node.place = first;
    return add(std::move(node));
  }

  // A complete expression: an argument of the innermost open call, if there is one.
  Result<void> add(ExpressionNode node) {
    expression_.nodes.push_back(std::move(node));
    wants_operand_ = false;
    if (!open_.empty()) {
      OpenCall& call = open_.back();
      call.node.arguments.push_back({expression_.nodes.size() - 1, std::exchange(call.probability, std::nullopt)});
    }
    return {};
  }

  // What comes after an expression; true at the end of the whole.
  Result<bool> read_behind() {
    skip_blanks();
    if (at_end()) {
      if (!open_.empty()) return not_closed();
      return true;
    }
    const char c = text_[at_];
    if (c == ')') {
      if (open_.empty()) return fail(at_, "this parenthesis closes none: no other is open");
      if (auto closed = close(); !closed) return closed.error();
      return false;
    }
    if (c == ':') {
      if (auto taken = take_probability(); !taken) return taken.error();
      return false;
    }
    if (open_.empty())
      return fail(at_, c == ',' ? "one expression was expected: several in a row are seq(E, E, ...)"
                                : "the expression ends before " + character());
    if (c != ',') return fail(at_, "',' or ')' was expected before " + character());
    if (auto whole = has_probability(); !whole) return whole.error();
    ++at_;
    wants_operand_ = true;
    return false;
  }

  // The argument read last is the probability of the one that follows.
  Result<void> take_probability() {
    if (open_.empty() || open_.back().node.function->operation != Operation::kBranch)
      return fail(at_, "':' has no meaning here: probabilities stand in branch(P: E, P: E, ...)");
    OpenCall& call = open_.back();
    const Argument last = call.node.arguments.back();
    const ExpressionNode& number = expression_.nodes[last.node];
    if (last.probability) return fail(at_, "this argument has its probability already");
    if (number.kind != ExpressionNode::Kind::kNumber) return fail(number.place, "a probability is a number");
    call.node.arguments.pop_back();
    call.probability = last.node;
    ++at_;
    wants_operand_ = true;
    return {};
  }

  [[nodiscard]] Result<void> has_probability() const {
    const ExpressionNode& call = open_.back().node;
    if (call.function->operation != Operation::kBranch || call.arguments.empty() || call.arguments.back().probability)
      return {};
    return fail(expression_.nodes[call.arguments.back().node].place,
                "this argument of branch has no probability: branch(P: E, P: E, ...)");
  }

  Result<void> close() {
    if (auto whole = has_probability(); !whole) return whole;
    const OpenCall& call = open_.back();
    const FunctionInfo& info = *call.node.function;
    const std::size_t given = call.node.arguments.size();
    if (given < info.fewest || given > info.most) {
      const std::size_t wanted = given < info.fewest ? info.fewest : info.most;
      return fail(given < info.fewest ? at_ : expression_.nodes[call.node.arguments[info.most].node].place,
                  std::string(info.form) + " takes " + (info.most == kAnyNumber ? "at least " : "") +
                      std::to_string(wanted) + (wanted == 1 ? " argument" : " arguments") + ", and " +
                      (given == 0 ? "none" : std::to_string(given)) + (given > 1 ? " are" : " is") + " given");
    }
    ++at_;
    ExpressionNode node = std::move(open_.back().node);
    open_.pop_back();
    return add(std::move(node));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool wants_operand_ = true;
  Expression expression_;
  std::vector<OpenCall> open_;
};

}  // namespace

Result<Expression> parse_expression_text(std::string_view text) { return Parser(text).parse(); }

}  // namespace foretask::distribution

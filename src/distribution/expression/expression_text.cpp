// SPDX-License-Identifier: Apache-2.0
#include "distribution/expression/expression_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "base/name_distance.hpp"
#include "base/number_text.hpp"
#include "foretask/analysis/distribution_text.hpp"

namespace foretask::distribution {
namespace {

// Bytes shown on either side of the place: a line of an 80-column terminal.
constexpr std::size_t kBefore = 36;
constexpr std::size_t kBehind = 40;
constexpr std::string_view kCut = "...";

bool goes_on(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

// From 1, in characters: a byte that goes on with a UTF-8 character does not count.
std::size_t column_at(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte);
  return 1 + before.size() - static_cast<std::size_t>(std::count_if(before.begin(), before.end(), goes_on));
}

using analysis::Distribution;
using Made = Result<Distribution>;

Made of_moments(const double* x) {
  if (x[1] >= 0)
    return Distribution::of_moments({.mean = x[0], .variance = x[1] * x[1], .skewness = x[2], .kurtosis = x[3]});
  return Error{"the standard deviation " + base::number_text(x[1], 12) + " is negative"};
}

template <analysis::LambdaForm form>
Made of_lambda(const double* x) {
  return Distribution::of_lambda({.form = form, .l1 = x[0], .l2 = x[1], .l3 = x[2], .l4 = x[3]});
}

constexpr FunctionInfo family(std::string_view name, std::string_view form, std::size_t numbers,
                              Made (*make)(const double*)) {
  return {name, form, numbers, numbers, Operation::kFamily, make};
}

constexpr std::array kFunctions{
    family("const", "const(X)", 1, [](const double* x) { return Distribution::constant(x[0]); }),
    family("exp", "exp(MEAN)", 1, [](const double* x) { return Distribution::exponential(x[0]); }),
    family("normal", "normal(MEAN, SD)", 2, [](const double* x) { return Distribution::normal(x[0], x[1]); }),
    family("uniform", "uniform(A, B)", 2, [](const double* x) { return Distribution::uniform(x[0], x[1]); }),
    family("lognormal", "lognormal(MU, SIGMA)", 2, [](const double* x) { return Distribution::lognormal(x[0], x[1]); }),
    family("gamma", "gamma(SHAPE, SCALE)", 2, [](const double* x) { return Distribution::gamma(x[0], x[1]); }),
    family("weibull", "weibull(SHAPE, SCALE)", 2, [](const double* x) { return Distribution::weibull(x[0], x[1]); }),
    family("beta", "beta(A, B)", 2, [](const double* x) { return Distribution::beta(x[0], x[1]); }),
    family("moments", "moments(MEAN, SD, SKEWNESS, KURTOSIS)", 4, of_moments),
    family("gld", "gld(L1, L2, L3, L4)", 4, of_lambda<analysis::LambdaForm::kRs>),
    family("fkml", "fkml(L1, L2, L3, L4)", 4, of_lambda<analysis::LambdaForm::kFkml>),
    FunctionInfo{"seq", "seq(E, E, ...)", 1, kAnyNumber, Operation::kSeq},
    FunctionInfo{"branch", "branch(P: E, P: E, ...)", 1, kAnyNumber, Operation::kBranch},
    FunctionInfo{"loop", "loop(N, E)", 2, 2, Operation::kLoop},
    FunctionInfo{"and", "and(N, E) or and(E, E, ...)", 2, kAnyNumber, Operation::kAnd},
    FunctionInfo{"or", "or(N, E) or or(E, E, ...)", 2, kAnyNumber, Operation::kOr},
    FunctionInfo{"nth", "nth(RANK, N, E)", 3, 3, Operation::kNth},
};

// What others call them: too far from our names to be found by their letters.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOtherNames{{{"exponential", "exp"},
                                                                                    {"gaussian", "normal"},
                                                                                    {"max", "and"},
                                                                                    {"min", "or"},
                                                                                    {"sum", "seq"},
                                                                                    {"choice", "branch"}}};
constexpr std::size_t kLongestName = 32;  // that is compared

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

const FunctionInfo* find_function(std::string_view name) {
  const std::string lower = in_lower_case(name.substr(0, kLongestName));
  const auto found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                  [&lower](const FunctionInfo& function) { return function.name == lower; });
  return found == kFunctions.end() ? nullptr : &*found;
}

// The known name that is nearest to `name`, `file` and `kernel` among them.
std::string_view nearest_name(std::string_view name) {
  const std::string lower = in_lower_case(name.substr(0, kLongestName));
  for (const auto& [other, ours] : kOtherNames)
    if (lower == other) return ours;
  std::string_view nearest = "file";
  std::size_t least = base::name_distance(lower, nearest);
  const auto consider = [&](std::string_view known) {
    const std::size_t distance = base::name_distance(lower, known);
    if (distance < least) {
      least = distance;
      nearest = known;
    }
  };
  for (const FunctionInfo& function : kFunctions) consider(function.name);
  consider("kernel");
  return nearest;
}

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

Error error_at(std::string_view text, std::size_t byte, const std::string& what) {
  byte = std::min(byte, text.size());
  std::size_t first = byte > kBefore + kCut.size() ? byte - kBefore : 0;
  while (first > 0 && goes_on(text[first])) --first;
  std::size_t end = text.size() - byte > kBehind + kCut.size() ? byte + kBehind : text.size();
  while (end < text.size() && goes_on(text[end])) ++end;

  std::string line(first > 0 ? kCut : "");
  line += text.substr(first, end - first);
  // What would break the line, or steer the terminal.
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  const std::size_t indent = (first > 0 ? kCut.size() : 0) + column_at(text.substr(first), byte - first) - 1;
  return Error{"column " + std::to_string(column_at(text, byte)) + ": " + what + "\n  " + line +
               std::string(end < text.size() ? kCut : "") + "\n  " + std::string(indent, ' ') + "^"};
}

Result<Expression> parse_expression_text(std::string_view text) { return Parser(text).parse(); }

}  // namespace foretask::distribution

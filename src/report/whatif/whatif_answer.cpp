// SPDX-License-Identifier: Apache-2.0
#include "report/whatif/whatif.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "report/units.hpp"

namespace foretask::report {
namespace {

// Gains that differ by less are called alike, and one below is called nothing.
constexpr double kAlike = 0.005;
constexpr double kNothing = 0.005;
// What one sentence says of several numbers of cores is not further apart.
constexpr double kOneRange = 0.15;
constexpr std::size_t kMostNamed = 3;

std::string percent(double gain) { return fmt::format("{:.1f} %", 100 * gain); }

// "a", "a and b", "a, b and c", "a, b and 4 more".
std::string names_of(const WhatIf& whatif, const std::vector<std::size_t>& kernels) {
  std::string text;
  const bool all = kernels.size() <= kMostNamed;
  const std::size_t named = all ? kernels.size() : kMostNamed - 1;
  for (std::size_t i = 0; i < named; ++i) {
    if (i > 0) text += all && i + 1 == named ? " and " : ", ";
    text += whatif.label(kernels[i]);
  }
  return all ? text : text + fmt::format(" and {} more", kernels.size() - named);
}

// The best of one factor on numbers of cores on which it is the same.
struct Answer {
  std::vector<std::uint32_t> cores;  // ascending
  std::vector<std::size_t> best;     // kernels that give alike, most work first
  double lowest = 0;                 // of the best gains
  double highest = 0;
  bool below_overhead = false;
  std::string spread;  // of the gain of the first of the best, in words
  // Of the kernel with the most work, where that is another one.
  double lowest_dominant = 0;
  double highest_dominant = 0;
};

class Answers {
 public:
  explicit Answers(const WhatIf& whatif) : whatif_(whatif) {
    for (std::size_t i = 0; i < whatif.kernels_in_rows(); ++i)
      if (whatif.kernels[i].work_ns > whatif.kernels[dominant_].work_ns) dominant_ = i;
  }

  [[nodiscard]] std::size_t dominant() const noexcept { return dominant_; }

  // Largest numbers of cores first.
  [[nodiscard]] std::vector<Answer> of_factor(std::size_t factor) const {
    std::vector<std::size_t> order = whatif_.places_by_cores();
    std::reverse(order.begin(), order.end());
    std::vector<Answer> answers;
    for (const std::size_t place : order) {
      Answer next = on(factor, place);
      if (answers.empty() || answers.back().best != next.best ||
          (answers.back().highest < kNothing) != (next.highest < kNothing) ||
          std::abs(answers.back().highest - next.lowest) > kOneRange ||
          std::abs(next.highest - answers.back().lowest) > kOneRange) {
        answers.push_back(std::move(next));
        continue;
      }
      Answer& group = answers.back();
      group.cores.insert(group.cores.begin(), next.cores.front());
      group.lowest = std::min(group.lowest, next.lowest);
      group.highest = std::max(group.highest, next.highest);
      group.lowest_dominant = std::min(group.lowest_dominant, next.lowest_dominant);
      group.highest_dominant = std::max(group.highest_dominant, next.highest_dominant);
      group.below_overhead |= next.below_overhead;
    }
    return answers;
  }

 private:
  // The gain; where a kernel becomes slower, how much longer the program takes.
  [[nodiscard]] double effect(std::size_t kernel, std::size_t factor, std::size_t place) const {
    const WhatIfRow& row = whatif_.row(kernel, factor, place);
    return row.factor >= 1 ? row.gain() : 1 / (row.sampled ? 1 + row.gain() : row.speedup()) - 1;
  }

  [[nodiscard]] Answer on(std::size_t factor, std::size_t place) const {
    Answer answer{.cores = {whatif_.cores[place]}};
    double best = 0;
    for (std::size_t kernel = 0; kernel < whatif_.kernels_in_rows(); ++kernel)
      best = std::max(best, effect(kernel, factor, place));
    for (std::size_t kernel = 0; kernel < whatif_.kernels_in_rows(); ++kernel) {
      if (effect(kernel, factor, place) < best - kAlike) continue;
      answer.best.push_back(kernel);
      answer.below_overhead |= whatif_.row(kernel, factor, place).below_overhead;
    }
    std::stable_sort(answer.best.begin(), answer.best.end(),
                     [this](auto a, auto b) { return whatif_.kernels[a].work_ns > whatif_.kernels[b].work_ns; });
    if (!answer.best.empty()) answer.spread = gain_spread(whatif_.row(answer.best.front(), factor, place));
    answer.lowest = answer.highest = best;
    answer.lowest_dominant = answer.highest_dominant = effect(dominant_, factor, place);
    return answer;
  }

  const WhatIf& whatif_;
  std::size_t dominant_ = 0;
};

std::string range(double lowest, double highest) {
  if (highest - lowest < 0.001) return percent(highest);
  return fmt::format("{:.1f} to {:.1f} %", 100 * lowest, 100 * highest);
}

std::string sentence(const WhatIf& whatif, const Answer& answer, std::size_t dominant, double factor) {
  const std::string names = names_of(whatif, answer.best);
  const std::string cores = core_words(answer.cores);
  const bool slower = factor < 1;
  if (answer.highest < kNothing) {
    return fmt::format("On {} no {} kernel matters: {}, each {} {}.\n", cores, slower ? "slower" : "faster",
                       factor_words(factor), slower ? "costs" : "gives",
                       answer.highest < 0.0005 ? "nothing" : "at most " + percent(answer.highest));
  }
  std::string text;
  if (slower) {
    text = fmt::format("On {} keep {} as fast as {}: {}, the program takes {} longer", cores, names,
                       answer.best.size() == 1 ? "it is" : "they are", factor_words(factor),
                       range(answer.lowest, answer.highest));
  } else if (answer.best.size() > 1) {
    text =
        fmt::format("On {} make {} of {} faster: {}, each gives {}", cores, answer.best.size() == 2 ? "either" : "any",
                    names, factor_words(factor), range(answer.lowest, answer.highest));
  } else {
    const bool is_one = answer.cores.size() == 1;
    text = fmt::format("On {} make {} faster: {}, it gives {}{}", cores, names, factor_words(factor),
                       range(answer.lowest, answer.highest), is_one ? answer.spread : std::string{});
  }
  if (answer.below_overhead)
    text += whatif.sampled ? ", but a run may not show it" : ", but part of it is less than scheduling costs";
  if (std::find(answer.best.begin(), answer.best.end(), dominant) == answer.best.end()) {
    text +=
        fmt::format(". {}, {} of the work, {} {}", whatif.label(dominant), format_share(whatif.kernels[dominant].share),
                    slower ? "costs" : "gives", range(answer.lowest_dominant, answer.highest_dominant));
  } else if (answer.best.size() == 1) {
    text += fmt::format(" ({} of the work)", format_share(whatif.kernels[dominant].share));
  }
  return text + ".\n";
}

// Whether the same kernels are best on these cores with another factor.
bool is_said(const std::vector<Answer>& before, const Answer& answer) {
  return std::all_of(answer.cores.begin(), answer.cores.end(), [&](std::uint32_t cores) {
    return std::any_of(before.begin(), before.end(), [&](const Answer& other) {
      return other.best == answer.best && std::count(other.cores.begin(), other.cores.end(), cores) != 0;
    });
  });
}

// Of what lies within kernels, on the most cores.
std::string of_functions(const WhatIf& whatif) {
  if (whatif.function_rows.empty() || whatif.factors.front() <= 1) return {};
  const std::uint32_t most_cores = *std::max_element(whatif.cores.begin(), whatif.cores.end());
  const WhatIfRow* best = nullptr;
  for (const WhatIfRow& row : whatif.function_rows)
    if (row.cores == most_cores && row.factor == whatif.factors.front() &&
        !whatif.functions[row.kernel].name.starts_with('(') &&  // a whole library
        (best == nullptr || row.gain() > best->gain()))
      best = &row;
  if (best == nullptr || best->gain() < kNothing) return {};
  const ShortNames names(whatif.functions, ShortNames::kSentenceColumns);
  return fmt::format("Of the functions within kernels, {} gives most on {}: {}, {} ({} of the work).\n",
                     names.of(whatif.functions[best->kernel].name), core_words({most_cores}),
                     factor_words(best->factor), percent(best->gain()),
                     format_share(whatif.functions[best->kernel].share));
}

std::string cores_or_code(const WhatIf& whatif) {
  std::string text;
  for (const MoreCores& more : whatif.more_cores) {
    const double gain = more.gain();
    text += fmt::format("From {} to {} cores: gain {}", more.cores, more.more, percent(gain));
    const auto on = std::find_if(whatif.rows.begin(), whatif.rows.end(), [&](const WhatIfRow& row) {
      return row.cores == more.cores && row.factor == whatif.factors.front();
    });
    if (on != whatif.rows.end()) {
      const WhatIfRow* best = &*on;
      for (const WhatIfRow& row : whatif.rows)
        if (row.cores == more.cores && row.factor == on->factor && row.gain() > best->gain()) best = &row;
      const char* verdict = gain > best->gain() + kAlike   ? "more cores help more"
                            : gain < best->gain() - kAlike ? "faster code helps more"
                                                           : "both help equally";
      text += fmt::format("; {} {} on {}: gain {}; {}", whatif.label(best->kernel), factor_words(best->factor),
                          core_words({more.cores}), percent(best->gain()), verdict);
    }
    text += ".\n";
  }
  return text;
}

std::string without(const WhatIf& whatif) {
  std::string text;
  for (auto row = whatif.removed.begin(); row != whatif.removed.end();) {
    text += fmt::format("Without {} ({} of the work): gain", whatif.label(row->kernel),
                        format_share(whatif.kernels[row->kernel].share));
    const std::size_t kernel = row->kernel;
    for (bool first = true; row != whatif.removed.end() && row->kernel == kernel; ++row, first = false)
      text += fmt::format("{} {} on {}", first ? "" : ",", percent(row->gain()) + gain_spread(*row),
                          core_words({row->cores}));
    text += ".\n";
  }
  return text;
}

}  // namespace

std::string factor_words(double factor) {
  return factor >= 1 ? fmt::format("{:g} times as fast", factor) : fmt::format("{:g} % as fast", 100 * factor);
}

std::string core_words(const std::vector<std::uint32_t>& cores) {
  if (cores.size() == 1) return format_count(cores.front(), "core", "cores");
  if (cores.size() == 2) return fmt::format("{} and {} cores", cores[0], cores[1]);
  return fmt::format("{} to {} cores", cores.front(), cores.back());
}

std::string whatif_answer(const WhatIf& whatif) {
  std::string text;
  if (whatif.rows.empty() && whatif.removed.empty()) text = "There is nothing to make faster: no kernel has a task.\n";
  std::vector<Answer> said;
  for (std::size_t factor = 0; factor < whatif.factors.size() && !whatif.rows.empty(); ++factor) {
    const Answers answers(whatif);
    const std::vector<Answer> these = answers.of_factor(factor);
    for (const Answer& answer : these)
      if (!is_said(said, answer)) text += sentence(whatif, answer, answers.dominant(), whatif.factors[factor]);
    if (factor == 0) said = these;
  }
  return text + of_functions(whatif) + cores_or_code(whatif) + without(whatif);
}

}  // namespace foretask::report

// SPDX-License-Identifier: Apache-2.0
// A comparison in words and figures, which its text and its page share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foretask/analysis/run_difference.hpp"
#include "report/short_names.hpp"

namespace foretask::report {

// "Before and after: app", or that it is one program on two numbers of workers.
[[nodiscard]] std::string difference_title(const analysis::RunDifference& difference);

// What the two sides are called above their columns.
struct SideNames {
  std::string before;
  std::string after;
};
[[nodiscard]] SideNames side_names(const analysis::RunDifference& difference);

// A fact whose value a page does not tell that is without names of people and places.
[[nodiscard]] bool is_private(std::string_view fact);

// Whether the recordings are of one thing: what about them differs, or that nothing does.
[[nodiscard]] std::string facts_words(const analysis::RunDifference& difference, bool is_anonymous);

// A sentence or a few each: the total with what speaks for it, then where the time went, then the kernels.
[[nodiscard]] std::vector<std::string> difference_answer(const analysis::RunDifference& difference);

// How the figures are to be read.
[[nodiscard]] std::vector<std::string> difference_notes(const analysis::RunDifference& difference);

struct TotalRow {
  const char* name;
  const analysis::Change* change;
};
[[nodiscard]] std::vector<TotalRow> total_rows(const analysis::RunDifference& difference);

// The column of change_words(): "gain", or "ratio" between two numbers of workers.
[[nodiscard]] const char* change_head(const analysis::RunDifference& difference);
// "+25.0 %": before / after - 1. Between two numbers of workers "1.89": after / before.
[[nodiscard]] std::string change_words(const analysis::RunDifference& difference, const analysis::Change& change);
// "+20.1 to +30.0 % *", with the mark where that is no chance; "no evidence" where there are too few runs, "-" where
// they have no interval.
[[nodiscard]] std::string interval_words(const analysis::RunDifference& difference, const analysis::Change& change);
// after - before, with its sign.
[[nodiscard]] std::string signed_ns(double ns);

// "new" and "gone" of a kernel, else its change of work.
[[nodiscard]] std::string change_words(const analysis::RunDifference& difference, const analysis::KernelChange& kernel);
[[nodiscard]] ShortNames short_names_of(const analysis::RunDifference& difference,
                                        std::size_t columns = ShortNames::kColumns);
// Its name after, and the line that it had before where that is another one.
[[nodiscard]] std::string kernel_words(const ShortNames& names, const analysis::KernelChange& kernel);
// The count of a side, rounded; "-" where the kernel is not there.
[[nodiscard]] std::string count_words(const std::string& name, double count);
// A time of a side, likewise.
[[nodiscard]] std::string time_words(const std::string& name, double ns);

}  // namespace foretask::report

// SPDX-License-Identifier: Apache-2.0
// What a report says in sentences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "foretask/analysis/run.hpp"
#include "report/short_names.hpp"

namespace foretask::report {

// Whether its words are of tasks: the explicit tasks have at least as much work as the parallel loops. Else they are of
// threads and their shares.
[[nodiscard]] bool is_of_tasks(const analysis::Report& report);

// Whether a kernel is the code of a region or a loop, as of OpenMP and not of oneTBB.
[[nodiscard]] bool has_team_kernels(const analysis::Report& report);

// Of its kernels and loops.
[[nodiscard]] ShortNames short_names_of(const analysis::Report& report, std::size_t columns = ShortNames::kColumns);

// What handing out the loops' chunks took: part of Report::runtime_ns.
[[nodiscard]] std::int64_t hand_out_ns(const analysis::Report& report);

// "12 tasks, 30 edges"; of loops how many, and how often they ran.
[[nodiscard]] std::string contents_words(const analysis::Report& report);

// Whether the critical path is one: how nearly all of the work divides was seen.
[[nodiscard]] bool is_span_known(const analysis::Report& report);

// Work of the explicit tasks.
[[nodiscard]] double task_work_ns(const analysis::Report& report);

// A few sentences: what most of the cores' time was lost to, and one next step.
[[nodiscard]] std::string answer_words(const analysis::Report& report);

// What more cores can bring, and what of that was not seen.
[[nodiscard]] std::string more_cores_words(const analysis::Report& report);

}  // namespace foretask::report

// SPDX-License-Identifier: Apache-2.0
// The page's views, in its order. Each adds nothing where there is nothing to show.
#pragma once

#include "report/page/page.hpp"
#include "report/page/strand_sums.hpp"
#include "report/plain_text.hpp"

namespace foretask::report {

void add_processes(Text& text, const PageContent& content);
void add_answer(Text& text, const PageContent& content);
void add_workers(Text& text, const PageContent& content, const StrandSums& sums);
void add_speed_up(Text& text, const PageContent& content);
void add_what_if(Text& text, const PageContent& content);
void add_strands(Text& text, const PageContent& content);
void add_timeline(Text& text, const PageContent& content);
void add_kernels(Text& text, const PageContent& content, const StrandSums& sums);
void add_critical_path(Text& text, const PageContent& content);
void add_kernel_models(Text& text, const PageContent& content);
void add_graph(Text& text, const PageContent& content);
void add_predicted_times(Text& text, const PageContent& content);

}  // namespace foretask::report

// SPDX-License-Identifier: Apache-2.0
// Completion of foretask's command line, for the scripts of shells (src/cli/pages/completion.*).
#pragma once

namespace foretask::cli {

// Prints what the last word may become. The words before it are those typed so far; argv[0] stands for foretask itself.
// A line is a candidate and, behind a tab, the first thing that its help says; "--format=" is an option with a value.
// The value of "--format=p" is offered alone, and a shell leaves out what does not match. Instead of candidates, a
// line may begin with a colon: ":files" and ":folders" for paths, and ":program N" where another program begins at word
// N. Gives the exit code.
[[nodiscard]] int print_candidates(int argc, const char* const* argv);

}  // namespace foretask::cli

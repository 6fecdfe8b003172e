// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/openmp_choice.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"

namespace foretask::cli {

OpenmpChoice openmp_choice(const std::string& option, const ChildEnvironment& environment) {
  const std::string* const inherited = environment.find("FORETASK_RUNTIME");
  const std::string& choice = option.empty() && inherited != nullptr ? *inherited : option;
  if (choice == "libgomp") return OpenmpChoice::kLibgomp;
  if (choice == "libomp") return OpenmpChoice::kLibomp;
  if (!choice.empty() && choice != "auto")
    note(fmt::format("warning: FORETASK_RUNTIME={} is not one of auto, libgomp, libomp: taken as auto", choice));
  return OpenmpChoice::kAuto;
}

}  // namespace foretask::cli

// SPDX-License-Identifier: Apache-2.0
// What is known only after a recording has ended, put into its run.json.
#pragma once

#include <functional>
#include <string>

#include "foretask/result.hpp"
#include "trace/run_file.hpp"

namespace foretask::wiring {

// Gives the description of the recording in `folder` to `change`, and writes it again with the size that it had where
// that gives true. Errors: it cannot be read or written, or is damaged. It is then left as it is: written again, it
// would look whole.
[[nodiscard]] Result<void> rewrite_run_file(const std::string& folder,
                                            const std::function<bool(trace::RunFile&)>& change);

}  // namespace foretask::wiring

// SPDX-License-Identifier: Apache-2.0
// What the stores share: the lock of a folder, which all processes have in common, and files that are refused. Cold.
#pragma once

#include <cerrno>
#include <functional>
#include <string>
#include <utility>

#include "base/file.hpp"
#include "foretask/result.hpp"

namespace foretask::model {

// Held while the descriptor is open. Makes the folder. Waits up to ten seconds while other processes take turns, and
// one second for one that keeps it: it may be stopped.
[[nodiscard]] Result<base::FileDescriptor> lock_folder(const std::string& folder);

// Now, as the store's files say it: 2026-01-31T12:00:00Z.
[[nodiscard]] std::string store_time();

// Gives a file that cannot be used another name; what to tell the user, in one line.
[[nodiscard]] std::string set_aside(const std::string& path, const std::string& why);

// What `read` gives of the file at `path`; nothing where it is not there. One that cannot be used is set aside, and
// `warn` is told.
template <typename Content>
[[nodiscard]] Content load_or_set_aside(const std::string& path, const std::function<void(const std::string&)>& warn,
                                        const std::function<Result<Content>()>& read) {
  Result<Content> content = read();
  if (!content && content.error().code == 0) {
    // Looked at again with the lock held: another process may have put a good one in its place meanwhile.
    const auto held = lock_folder(path.substr(0, path.rfind('/')));
    content = read();
    if (!content && content.error().code == 0) warn(set_aside(path, content.error().what));
  } else if (!content && content.error().code != ENOENT && content.error().code != ENOTDIR) {
    warn(content.error().message());
  }
  return content ? *std::move(content) : Content{};
}

}  // namespace foretask::model

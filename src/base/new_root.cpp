// SPDX-License-Identifier: Apache-2.0
#include "base/new_root.hpp"

#include "base/file.hpp"

namespace foretask::base {
namespace {

const FileIdentity loaded_root = FileIdentity::of("/");

}  // namespace

bool has_new_root() noexcept { return FileIdentity::of("/") != loaded_root; }

}  // namespace foretask::base

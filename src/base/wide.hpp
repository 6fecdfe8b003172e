// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace foretask::base {

__extension__ using Wide = unsigned __int128;  // two words

}  // namespace foretask::base

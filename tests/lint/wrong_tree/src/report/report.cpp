// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/clock.hpp"

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulate/cores/quad_heap.hpp"

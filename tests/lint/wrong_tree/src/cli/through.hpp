// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulate/event_queue.hpp"

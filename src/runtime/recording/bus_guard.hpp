// SPDX-License-Identifier: Apache-2.0
// A stream's file that somebody else makes shorter, or a disk that fails, would be a SIGBUS at the program's next task.
// The handler here puts memory in the place of such a packet, stops its stream, and the program goes on. Any other
// SIGBUS finds the program's own disposition, which it puts back.
#pragma once

#include <cstddef>

namespace foretask::runtime {

class WorkerStream;

// Takes the signal; a handler that the program sets later on is the program's. Once a process.
void take_bus_errors() noexcept;
// Puts back what was there, where the handler is still foretask's.
void give_back_bus_errors() noexcept;

// The packet that `stream` writes into from here on, one at a time. By its owner.
void guard_packet(WorkerStream& stream, void* memory, std::size_t bytes) noexcept;
void unguard_packet(WorkerStream& stream) noexcept;
// In a forked child, which has none of them.
void forget_guarded_packets() noexcept;

}  // namespace foretask::runtime

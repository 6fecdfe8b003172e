// SPDX-License-Identifier: Apache-2.0
// What tuned runs of a program have found, kept from one process to the next: HOME/tuned/MACHINE/PROGRAM.json, one file
// a program (its executable's name) and machine. Replaced by renaming, under a lock that all processes share. Bounded.
// A file that cannot be read is set aside by a new name, and said by name. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::model {

// Of the tasks that one place in the code makes, or of a region whose loops leave their schedule to the runtime. Times
// in the processor's ticks.
struct TunedPlace {
  std::string name;        // "module+0xoffset subtrees"
  std::string version;     // of the code: what is known of another one does not hold
  std::uint64_t took = 0;  // what one takes without its parts: a base::RunMean's bits; of a region what a run took
  // What subtrees take: cells of a table, and what is in them. Of a region: the way that took least, and on how many
  // threads.
  std::vector<std::pair<std::size_t, std::uint64_t>> cells;
};

struct TunedProgram {
  static constexpr std::size_t kMostPlaces = 256;
  static constexpr std::size_t kMostTasks = 32'768;

  std::vector<TunedPlace> places;
  std::vector<TunedPlace> regions;
  std::vector<std::uint64_t> order;  // of tasks with dependences
  bool gives_up = false;             // the last trial found that running tasks at once does not pay
};

class TunedStore {
 public:
  // `warn` is told, in one line, of what is wrong with a file.
  TunedStore(const std::string& home, const std::string& program, std::function<void(const std::string&)> warn);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  // Nothing where nothing is known.
  [[nodiscard]] TunedProgram load();

  // In the place of what is there; places that it does not have stay.
  [[nodiscard]] Result<void> save(TunedProgram program);

  // How many programs were forgotten: this one, or all on this machine.
  [[nodiscard]] Result<std::size_t> forget();
  [[nodiscard]] Result<std::size_t> forget_all();

 private:
  std::string folder_;
  std::string path_;
  std::function<void(const std::string&)> warn_;
};

}  // namespace foretask::model

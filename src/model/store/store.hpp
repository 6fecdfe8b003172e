// SPDX-License-Identifier: Apache-2.0
// What was learned, kept from one process to the next: HOME/models/MACHINE/KERNEL.json, one file a kernel and machine,
// in it the models by class of workers and version of the code. Files are replaced by renaming, under a lock that all
// processes share, and what another process has stored meanwhile is joined: nothing that was learned is lost. A file
// that cannot be read, or is of another kernel or machine, is set aside by a new name, and said by name. Cold.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "base/store_home.hpp"
#include "foretask/result.hpp"
#include "model/online/kernel_model.hpp"

namespace foretask::model {

struct StoreKey {
  std::string kernel;
  std::string worker_class;
  std::string code_version;
};

struct StoredModel {
  std::unique_ptr<KernelModel> model;
  std::uint64_t generation = 0;  // counts the writes of this key
  bool is_stale = false;         // of another version of the code
};

// One entry of a file, as `model show` lists it.
struct StoredEntry {
  StoreKey key;
  KernelShape shape;
  std::string saved;  // 2026-01-31T12:00:00Z
  std::string module;
  std::unique_ptr<KernelModel> model;
};

class Store {
 public:
  // `warn` is told, in one line, of what is wrong with a file or a folder.
  Store(std::string home, std::string machine, std::function<void(const std::string&)> warn);

  [[nodiscard]] const std::string& folder() const noexcept { return folder_; }
  [[nodiscard]] std::string path_of(std::string_view kernel) const;

  // The model of the key's code version, or else the latest one of another version, weakened (is_stale). No model when
  // nothing is stored.
  [[nodiscard]] StoredModel load(const StoreKey& key, const KernelShape& shape);

  // The terms that `model fit --save` found for the kernel's time; none where it was not asked.
  [[nodiscard]] std::vector<Term> load_terms(const std::string& kernel, const std::vector<std::string>& parameters);

  // The lock that all processes share, held while this lives. Waits up to ten seconds for another process. Makes the
  // folder.
  using Lock = base::FileDescriptor;
  [[nodiscard]] Result<Lock> lock();

  // One of a kernel's models to be saved: `model` was at `generation` when it was loaded or saved last, 0: never.
  // kOnlyNew: of the model only what was learned since mark_stored() is to be saved, the rest being another process's.
  static constexpr std::uint64_t kOnlyNew = ~std::uint64_t{0};
  struct Change {
    StoreKey key;
    std::uint64_t generation = 0;
    const KernelModel* model = nullptr;
    std::string module;  // file of the code that the kernel is named after, module+0xoffset; else empty
  };
  struct Saved {
    std::uint64_t generation = 0;
    std::unique_ptr<KernelModel> joined;  // the model with what another process had saved; null when there was nothing
  };
  // All changes are of one kernel. In their order.
  [[nodiscard]] Result<std::vector<Saved>> save(const std::vector<Change>& changes) { return save(changes, {}); }

  // The same, with terms for load_terms(); the last with the lock held already.
  [[nodiscard]] Result<std::vector<Saved>> save(const std::vector<Change>& changes, const std::vector<Term>& terms);
  [[nodiscard]] Result<std::vector<Saved>> save(const Lock& held, const std::vector<Change>& changes,
                                                const std::vector<Term>& terms);

  // The models in a file, those of every class and version. Errors name the file.
  [[nodiscard]] static Result<std::vector<StoredEntry>> read_entries(const std::string& path);

  // A file's name for any kernel's name: letters, digits and ._+- as they are, other bytes as %XX; long ones cut, with
  // a hash.
  [[nodiscard]] static std::string file_name(std::string_view kernel);

 private:
  // The same as load(); an error without a code says what is wrong with the file's content.
  [[nodiscard]] Result<StoredModel> read(const StoreKey& key, const KernelShape& shape);

  std::string machine_;
  std::string folder_;
  std::function<void(const std::string&)> warn_;
  std::atomic<bool> has_warned_{false};  // of a file that the system does not let it read: of ten thousand, once
};

// Where the store is that a user means: `given`, or where it is empty the place that foretask_save() finds. The error:
// there is none.
[[nodiscard]] inline Result<std::string> store_home(const std::string& given) {
  std::string home = given.empty() ? base::store_home() : given;
  if (home.empty()) return Error{.what = "there is no store: none of FORETASK_HOME, XDG_DATA_HOME and HOME is set"};
  return home;
}

}  // namespace foretask::model

// SPDX-License-Identifier: Apache-2.0
// What the library takes of the stack of the program's threads, which may be a few KiB: less than 8 KiB, whatever is
// called first.
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>

#include "catch.hpp"
#include "foretask/foretask.h"
#include "foretask/hook.h"

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kGuard = 64 << 10;
constexpr std::size_t kStack = 64 << 10;
constexpr std::size_t kMost = 8 << 10;

// Bytes of its stack that a thread which calls `function` has written to, the C library's own part left out.
std::size_t stack_of(void* (*function)(void*), void* argument) {
  void* const memory = ::mmap(nullptr, kGuard + kStack, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  char* const stack = static_cast<char*>(memory) + kGuard;
  REQUIRE(::mprotect(stack, kStack, PROT_READ | PROT_WRITE) == 0);
  std::memset(stack, 0x5a, kStack);
  pthread_attr_t attributes;
  REQUIRE(::pthread_attr_init(&attributes) == 0);
  REQUIRE(::pthread_attr_setstack(&attributes, stack, kStack) == 0);
  pthread_t thread{};
  REQUIRE(::pthread_create(&thread, &attributes, function, argument) == 0);
  REQUIRE(::pthread_join(thread, nullptr) == 0);
  std::size_t untouched = 0;
  while (untouched < kStack && stack[untouched] == 0x5a) ++untouched;
  ::munmap(memory, kGuard + kStack);
  return kStack - untouched;
}

std::size_t stack_of(const std::function<void()>& calls) {
  const auto run = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  const std::function<void()> nothing = [] { ::usleep(1); };
  static_cast<void>(stack_of(run, const_cast<std::function<void()>*>(&nothing)));  // binds what every thread needs
  const std::size_t of_a_thread = stack_of(run, const_cast<std::function<void()>*>(&nothing));
  return stack_of(run, const_cast<std::function<void()>*>(&calls)) - of_a_thread;
}

struct Folder {
  Folder() {
    path = (fs::temp_directory_path() / "foretask-stack-XXXXXX").string();
    REQUIRE(::mkdtemp(path.data()) != nullptr);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path); }
  std::string path;
};

}  // namespace

TEST_CASE("a recording takes less than 8 KiB of the program's stack from its start to its end") {
  const Folder folder;
  ::setenv("FORETASK", "record", 1);
  ::setenv("FORETASK_OUT", (folder.path + "/run").c_str(), 1);
  const std::size_t used = stack_of([] {
    foretask_hook_options options{};
    options.size = sizeof options;
    options.version = FORETASK_HOOK_VERSION;
    options.runtime = "test";
    options.runtime_version = "";
    if (foretask_hook_start(&options) != FORETASK_HOOK_RECORDS) return;
    foretask_stream* const stream = foretask_stream_open();
    if (stream == nullptr) return;
    for (int i = 0; i < 100'000; ++i) foretask_record_0_(stream, FORETASK_EVENT_TASK_END);  // several packets
    foretask_stream_close(stream);
    foretask_hook_stop();
  });
  CHECK(fs::file_size(folder.path + "/run/stream_0") > 400'000);
  CHECK(used < kMost);
}

TEST_CASE("learning takes less than 8 KiB of the program's stack, its store included") {
  const Folder folder;
  ::setenv("FORETASK_HOME", folder.path.c_str(), 1);
  static foretask_status saved;
  saved = FORETASK_OFF;
  const std::size_t used = stack_of([] {
    static_cast<void>(foretask_learning_start());
    const char* const names[] = {"m", "n", "k"};
    foretask_kernel* const kernel = foretask_kernel_define("gemm", names, 3);
    for (int i = 1; i < 2000; ++i) {
      const double parameters[] = {i % 10 + 1.0, i % 7 + 1.0, i % 3 + 1.0};
      static_cast<void>(foretask_learn(kernel, parameters, 3, 10.0 * i));
    }
    saved = foretask_save();
    static_cast<void>(foretask_load());
    static_cast<void>(foretask_worker_class("gpu"));
    foretask_learning_stats statistics{};
    statistics.size = sizeof statistics;
    static_cast<void>(foretask_learning_statistics(&statistics));
    foretask_prediction prediction{};
    prediction.size = sizeof prediction;
    const double parameters[] = {1e9, 2, 3};
    static_cast<void>(foretask_predict(kernel, parameters, 3, &prediction));
    foretask_scope scope;
    static_cast<void>(foretask_scope_begin(&scope, kernel, parameters, 3));
    static_cast<void>(foretask_scope_end(&scope));
  });
  CHECK(saved == FORETASK_OK);
  CHECK(used < kMost);
}

TEST_CASE("following the progress takes less than 8 KiB of the program's stack") {
  const Folder folder;
  ::setenv("FORETASK_HOME", folder.path.c_str(), 1);
  static foretask_status followed;
  followed = FORETASK_OFF;
  const std::size_t used = stack_of([] {
    static_cast<void>(foretask_progress_start());
    static_cast<void>(foretask_progress_input("n", 100));
    foretask_progress_state state = FORETASK_PROGRESS_STATE_INIT;
    followed = foretask_progress(&state);
  });
  CHECK(followed == FORETASK_OK);
  CHECK(used < kMost);
}

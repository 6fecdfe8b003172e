// SPDX-License-Identifier: Apache-2.0
// What readers may still use is not freed; what they cannot is.
#include "predict/online/read_section.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "model/online/kernel_model.hpp"

using namespace foretask::predict;

namespace {

std::unique_ptr<const Snapshot> snapshot() {
  foretask::model::KernelModel model({{"n"}, {}});
  model.learn(std::vector<double>{1}, 100);
  return Snapshot::of(model);
}

// A thread that is inside while it is told to be.
class Reader {
 public:
  Reader() : thread_([this] { run(); }) {}
  ~Reader() {
    leave();
    done_ = true;
    thread_.join();
  }
  void enter() {
    wanted_ = true;
    while (!inside_) std::this_thread::yield();
  }
  void leave() {
    wanted_ = false;
    while (inside_) std::this_thread::yield();
  }

 private:
  void run() {
    while (!done_) {
      if (wanted_) {
        const ReadSection section;
        inside_ = true;
        while (wanted_) std::this_thread::yield();
      }
      inside_ = false;
      std::this_thread::yield();
    }
  }

  std::atomic<bool> wanted_{false};
  std::atomic<bool> inside_{false};
  std::atomic<bool> done_{false};
  std::thread thread_;
};

}  // namespace

TEST_CASE("without readers everything is freed at once") {
  Reclaimer reclaimer;
  for (int i = 0; i < 5; ++i) reclaimer.retire(snapshot());
  CHECK(reclaimer.pending() == 5);
  reclaimer.collect();
  CHECK(reclaimer.pending() == 0);
}

TEST_CASE("what was replaced while a reader was inside is freed when it has left") {
  Reclaimer reclaimer;
  Reader reader;
  reader.enter();
  reclaimer.retire(snapshot());
  for (int i = 0; i < 3; ++i) {
    reclaimer.collect();
    CHECK(reclaimer.pending() == 1);
  }
  reader.leave();
  reclaimer.collect();
  CHECK(reclaimer.pending() == 0);
}

TEST_CASE("a reader that enters later keeps nothing that was replaced before") {
  Reclaimer reclaimer;
  Reader early;
  Reader late;
  early.enter();
  reclaimer.retire(snapshot());
  reclaimer.collect();
  late.enter();
  early.leave();
  reclaimer.collect();
  CHECK(reclaimer.pending() == 0);
  // But what is replaced now it does.
  reclaimer.retire(snapshot());
  reclaimer.collect();
  CHECK(reclaimer.pending() == 1);
  late.leave();
  reclaimer.collect();
  CHECK(reclaimer.pending() == 0);
}

TEST_CASE("a reader that leaves and enters again has left") {
  Reclaimer reclaimer;
  Reader reader;
  reader.enter();
  reclaimer.retire(snapshot());
  reclaimer.collect();
  reader.leave();
  reader.enter();
  reclaimer.collect();
  CHECK(reclaimer.pending() == 0);
}

TEST_CASE("threads that end give their slots back") {
  for (std::size_t i = 0; i < 2 * kReaderSlots; ++i) std::thread([] { const ReadSection section; }).join();
  std::size_t taken = 0;
  for (const ReaderSlot& slot : reader_slots()) taken += slot.taken ? 1 : 0;
  CHECK(taken < 8);
}

TEST_CASE("readers beyond the last slot are waited for all the same") {
  // Every slot is taken by hand: a thousand threads would be as many stacks.
  std::vector<ReaderSlot*> mine;
  for (ReaderSlot& slot : reader_slots())
    if (!slot.taken.exchange(true)) mine.push_back(&slot);
  {
    Reclaimer reclaimer;
    Reader reader;
    reader.enter();
    reclaimer.retire(snapshot());
    reclaimer.collect();
    CHECK(reclaimer.pending() == 1);
    reader.leave();
    reclaimer.collect();
    CHECK(reclaimer.pending() == 0);
  }
  for (ReaderSlot* const slot : mine) slot->taken = false;
}

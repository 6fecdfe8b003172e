// SPDX-License-Identifier: Apache-2.0
// What is kept from one process to the next.
#include "model/store/store.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/store_home.hpp"
#include "unit/base/temp_folder.hpp"
#include "unit/model/online/feed.hpp"

using namespace online_test;
using foretask::model::Store;
using foretask::model::StoreKey;
using foretask::test::content_of;
using foretask::test::TempFolder;
using foretask::test::write_content;

namespace {

const KernelShape kShape{{"n"}, {}};
const StoreKey kKey{"gemm", "cpu", "v1"};

class Place {
 public:
  [[nodiscard]] Store store(const std::string& machine = "machine") {
    return {folder_.path(), machine, [this](const std::string& line) { warnings.push_back(line); }};
  }
  [[nodiscard]] std::string path() { return store().path_of("gemm"); }
  [[nodiscard]] std::vector<std::string> names() {
    std::vector<std::string> found;
    for (const std::string& name : foretask::test::names_in(folder_.path() + "/models/machine"))
      if (name != ".lock") found.push_back(name);
    std::sort(found.begin(), found.end());
    return found;
  }
  [[nodiscard]] const std::string& home() const { return folder_.path(); }

  std::vector<std::string> warnings;

 private:
  TempFolder folder_;
};

std::unique_ptr<KernelModel> model_of(int samples, double slope = 3, double n = 0) {
  auto model = std::make_unique<KernelModel>(kShape);
  Random random(1);
  for (int i = 0; i < samples; ++i) {
    const double x = n > 0 ? n : random.whole(10, 1000);
    feed(*model, {x}, slope * x * noise(random, 0.02));
  }
  return model;
}

std::uint64_t save(Store& store, const StoreKey& key, const KernelModel& model, std::uint64_t generation = 0) {
  const auto saved = store.save({{key, generation, &model, {}}});
  INFO((saved ? "" : saved.error().message()));
  REQUIRE(saved.ok());
  return saved->front().generation;
}

}  // namespace

TEST_CASE("what was saved is loaded by its key") {
  Place place;
  Store store = place.store();
  CHECK(store.load(kKey, kShape).model == nullptr);
  CHECK(save(store, kKey, *model_of(300)) == 1);
  const auto loaded = place.store().load(kKey, kShape);
  REQUIRE(loaded.model);
  CHECK(loaded.generation == 1);
  CHECK_FALSE(loaded.is_stale);
  CHECK(loaded.model->samples() == 300);
  CHECK(error(*loaded.model, {500.5}, 1501.5) < 0.02);
  // Not of another class of workers, kernel or machine.
  CHECK(store.load({"gemm", "gpu", "v1"}, kShape).model == nullptr);
  CHECK(store.load({"trsm", "cpu", "v1"}, kShape).model == nullptr);
  CHECK(place.store("other").load(kKey, kShape).model == nullptr);
  CHECK(place.warnings.empty());
}

TEST_CASE("another version's model is loaded, and is doubtful") {
  Place place;
  Store store = place.store();
  save(store, {"gemm", "cpu", "v1"}, *model_of(300, 3));
  save(store, {"gemm", "cpu", "v2"}, *model_of(300, 5));
  const auto loaded = store.load({"gemm", "cpu", "v3"}, kShape);
  REQUIRE(loaded.model);
  CHECK(loaded.is_stale);
  CHECK(loaded.generation == 0);
  CHECK(loaded.model->is_stale());
  // The one that was saved last, in whatever second that was.
  CHECK(error(*loaded.model, {500.5}, 2502.5) < 0.05);
}

TEST_CASE("of each class the four versions saved last are kept, within one second as well") {
  Place place;
  Store store = place.store();
  for (int i = 1; i <= 6; ++i) save(store, {"gemm", "cpu", "v" + std::to_string(i)}, *model_of(30));
  save(store, {"gemm", "gpu", "v1"}, *model_of(30));
  save(store, {"gemm", "cpu", "v3"}, *model_of(40));  // was the oldest of the four
  save(store, {"gemm", "cpu", "v7"}, *model_of(30));
  std::set<std::string> kept;
  const auto entries = Store::read_entries(store.path_of("gemm"));
  REQUIRE(entries.ok());
  for (const auto& entry : *entries) kept.insert(entry.key.worker_class + " " + entry.key.code_version);
  CHECK(kept == std::set<std::string>{"cpu v3", "cpu v5", "cpu v6", "cpu v7", "gpu v1"});
}

TEST_CASE("two that began from the same model and save one after the other lose nothing") {
  Place place;
  Store store = place.store();
  save(store, kKey, *model_of(300, 3, 64));
  auto one = store.load(kKey, kShape);
  auto other = store.load(kKey, kShape);
  Random random(2);
  for (int i = 0; i < 50; ++i) feed(*one.model, {128}, 384 * noise(random, 0.02));
  for (int i = 0; i < 70; ++i) feed(*other.model, {256}, 768 * noise(random, 0.02));
  CHECK(save(store, kKey, *one.model, one.generation) == 2);
  CHECK(save(store, kKey, *other.model, other.generation) == 3);
  const auto loaded = store.load(kKey, kShape);
  REQUIRE(loaded.model);
  CHECK(loaded.model->samples() == 420);
  for (const double n : {64.0, 128.0, 256.0}) CHECK(error(*loaded.model, {n}, 3 * n) < 0.03);
}

TEST_CASE("two that both began from nothing lose nothing") {
  Place place;
  Store store = place.store();
  save(store, kKey, *model_of(100));
  const auto second = model_of(150);
  const auto saved = store.save({{kKey, 0, second.get(), {}}});
  REQUIRE(saved.ok());
  REQUIRE(saved->front().joined);
  CHECK(saved->front().joined->samples() == 250);
  CHECK(store.load(kKey, kShape).model->samples() == 250);
}

TEST_CASE("threads that save at once lose nothing") {
  Place place;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&place] {
      const auto model = model_of(50);
      Store store(place.home(), "machine", [](const std::string&) {});
      for (int round = 0; round < 5; ++round)
        if (!store.save({{kKey, Store::kOnlyNew, model.get(), {}}}).ok()) std::abort();
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(place.store().load(kKey, kShape).model->samples() == 4 * 5 * 50);
}

TEST_CASE("a forked child stores what it has learned itself, and nothing that is its parent's") {
  Place place;
  Store store = place.store();
  auto model = model_of(100, 3, 64);
  model->mark_stored();  // at the fork
  for (int i = 0; i < 20; ++i) feed(*model, {128}, 384);
  save(store, kKey, *model, Store::kOnlyNew);
  const auto loaded = store.load(kKey, kShape);
  REQUIRE(loaded.model);
  CHECK(loaded.model->samples() == 20);
  CHECK(error(*loaded.model, {128}, 384) < 0.01);
}

TEST_CASE("a file cut at any byte is refused by name and set aside, and the next save is whole") {
  Place place;
  Store store = place.store();
  save(store, kKey, *model_of(20));
  const std::string whole = content_of(place.path());
  REQUIRE(whole.size() > 3000);
  // Every byte at both ends, every 97th between.
  for (std::size_t size = 0; size < whole.size() - 1; size += size < 90 || size + 90 > whole.size() ? 1 : 97) {
    CAPTURE(size);
    place.warnings.clear();
    write_content(place.path(), whole.substr(0, size));
    REQUIRE(store.load(kKey, kShape).model == nullptr);
    REQUIRE(place.warnings.size() == 1);
    CHECK(place.warnings[0].find(place.path() + " is not used: ") == 0);
    CHECK(place.warnings[0].find("; it is now " + place.path() + ".refused-1") != std::string::npos);
    REQUIRE(place.names() == std::vector<std::string>{"gemm.json.refused-1"});
    CHECK(content_of(place.path() + ".refused-1") == whole.substr(0, size));
    std::filesystem::remove(place.path() + ".refused-1");
  }
  // But for the last line's end it is whole.
  write_content(place.path(), whole.substr(0, whole.size() - 1));
  CHECK(store.load(kKey, kShape).model);
  save(store, kKey, *model_of(30));
  CHECK(store.load(kKey, kShape).model->samples() == 50);
}

TEST_CASE("a damaged file that a save finds is set aside, not overwritten") {
  Place place;
  Store store = place.store();
  save(store, kKey, *model_of(20));
  const std::string whole = content_of(place.path());
  SECTION("cut") {
    write_content(place.path(), whole.substr(0, 1000));
    save(store, kKey, *model_of(30));
    CHECK(content_of(place.path() + ".refused-1") == whole.substr(0, 1000));
  }
  SECTION("a model in it makes no sense") {
    auto file = nlohmann::json::parse(whole);
    file["entries"][0]["model"]["samples"] = -1;
    write_content(place.path(), file.dump());
    save(store, kKey, *model_of(30));
    CHECK(content_of(place.path() + ".refused-1") == file.dump());
  }
  CHECK(store.load(kKey, kShape).model->samples() == 30);
  CHECK(place.warnings.size() == 1);
}

TEST_CASE("foreign files are refused by name") {
  Place place;
  Store store = place.store();
  save(store, kKey, *model_of(20));
  const std::string whole = content_of(place.path());
  const auto refused = [&](const std::string& content, const std::string& why) {
    CAPTURE(why);
    place.warnings.clear();
    write_content(place.path(), content);
    CHECK(store.load(kKey, kShape).model == nullptr);
    REQUIRE(place.warnings.size() == 1);
    CHECK_THAT(place.warnings[0], Catch::Matchers::ContainsSubstring(why));
    CHECK_FALSE(std::filesystem::exists(place.path()));
  };
  const auto with = [&whole](const char* key, const nlohmann::json& value) {
    auto file = nlohmann::json::parse(whole);
    file[key] = value;
    return file.dump();
  };
  refused("", "it is not whole");
  refused("\x7f\x45LF\x01\x02", "it is not whole");
  refused("{}", "it is no file of foretask's");
  refused("[1, 2]", "it is no file of foretask's");
  refused(with("foretask_models", 2), "it is of another version's format");
  refused(with("kernel", "trsm"), "it is of another kernel or machine");
  refused(with("machine", "other"), "it is of another kernel or machine");
  refused(with("kernel", 5), "its 'kernel' is missing");
  refused(with("parameters", nlohmann::json::array({1})), "its 'parameters' are no names");
  refused(with("entries", 7), "its 'entries' are missing");
  refused(with("entries", nlohmann::json::array({nlohmann::json::object()})), "an entry's 'worker_class' is missing");
  refused(with("other", nlohmann::json::parse(std::string(40, '[') + std::string(40, ']'))), "it is nested too deeply");
  refused(std::string(200'000, '['), "it is nested too deeply");
}

TEST_CASE("a folder or a pipe where a file should be is refused, and nothing waits") {
  Place place;
  Store store = place.store();
  save(store, {"other", "cpu", "v1"}, *model_of(20));
  SECTION("folder") { std::filesystem::create_directory(place.path()); }
  SECTION("pipe") { REQUIRE(::mkfifo(place.path().c_str(), 0600) == 0); }
  CHECK(store.load(kKey, kShape).model == nullptr);
  CHECK(place.warnings.size() == 1);
  save(store, kKey, *model_of(20));
  CHECK(store.load(kKey, kShape).model);
}

TEST_CASE("a kernel of the same name with other parameters starts anew, and the first one's file is kept") {
  Place place;
  Store store = place.store();
  save(store, kKey, *model_of(20));
  KernelModel other({{"m", "n"}, {}});
  CHECK(store.load(kKey, other.shape()).model == nullptr);
  feed(other, {1, 2}, 3);
  save(store, kKey, other);
  CHECK(store.load(kKey, other.shape()).model->samples() == 1);
  CHECK(std::filesystem::exists(place.path() + ".refused-1"));
}

TEST_CASE("a place that cannot be written is an error with its name, and what is there stays") {
  Place place;
  SECTION("home is a file") {
    write_content(place.home() + "/file", "");
    Store store(place.home() + "/file", "machine", [](const std::string&) {});
    const auto model = model_of(5);
    const auto saved = store.save({{kKey, 0, model.get(), {}}});
    REQUIRE_FALSE(saved.ok());
    CHECK_THAT(saved.error().message(), Catch::Matchers::ContainsSubstring(place.home() + "/file/models/machine"));
    CHECK(saved.error().code == ENOTDIR);
  }
  SECTION("no file may grow so large") {
    Store store = place.store();
    save(store, kKey, *model_of(20));
    const std::string before = content_of(place.path());
    rlimit limit{};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    const rlimit small{2000, limit.rlim_max};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
    const auto model = model_of(500);
    const auto saved = store.save({{kKey, 0, model.get(), {}}});
    setrlimit(RLIMIT_FSIZE, &limit);
    REQUIRE_FALSE(saved.ok());
    CHECK(saved.error().code == EFBIG);
    CHECK(content_of(place.path()) == before);
    CHECK(place.names() == std::vector<std::string>{"gemm.json"});
  }
}

TEST_CASE("every kernel has a file of its own, whatever it is called") {
  Place place;
  Store store = place.store();
  const std::vector<std::string> names{"a/b",
                                       "a%2Fb",
                                       "..",
                                       ".",
                                       ".hidden",
                                       "a b",
                                       "a\tb",
                                       "A",
                                       "a",
                                       "\xc3\xa4",
                                       "a\\b",
                                       "con:",
                                       "*",
                                       "a.json",
                                       std::string(255, 'x'),
                                       std::string(254, 'x'),
                                       std::string(255, '/'),
                                       "a\nb",
                                       "../../x"};
  for (std::size_t i = 0; i < names.size(); ++i)
    save(store, {names[i], "cpu", "v1"}, *model_of(10 + static_cast<int>(i)));
  CHECK(place.names().size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    CAPTURE(names[i]);
    const auto loaded = place.store().load({names[i], "cpu", "v1"}, kShape);
    REQUIRE(loaded.model);
    CHECK(loaded.model->samples() == 10 + i);
    const std::string file = Store::file_name(names[i]);
    CHECK(file.size() <= 230);
    CHECK(file.find('/') == std::string::npos);
    CHECK(file[0] != '.');
  }
  CHECK(place.warnings.empty());
}

TEST_CASE("terms that were found offline are kept by later saves") {
  Place place;
  Store store = place.store();
  const auto terms = foretask::model::parse_terms("1,n^2,log(n)").value();
  const auto model = model_of(20);
  REQUIRE(store.save({{kKey, 0, model.get(), {}}}, terms).ok());
  save(store, kKey, *model_of(30));
  const auto loaded = place.store().load_terms("gemm", {"n"});
  REQUIRE(loaded.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(loaded[i].same_as(terms[i]));
  CHECK(place.store().load_terms("gemm", {"m"}).empty());
  CHECK(place.store().load_terms("trsm", {"n"}).empty());
}

TEST_CASE("a relative home is where it was when the program began") {
  const TempFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  setenv("FORETASK_HOME", "here", 1);
  const std::string home = foretask::base::store_home();
  unsetenv("FORETASK_HOME");
  std::filesystem::current_path(before);
  CHECK(std::filesystem::path(home) == std::filesystem::canonical(folder.path()) / "here");
}

// SPDX-License-Identifier: Apache-2.0
// A kernel's models as JSON and back.
#include "model/store/kernel_state.hpp"

#include <nlohmann/json.hpp>

#include "predict/online/snapshot.hpp"
#include "unit/model/online/feed.hpp"

using namespace online_test;
using foretask::model::KernelState;
using nlohmann::json;

namespace {

struct Case {
  const char* name;
  KernelShape shape;
  std::vector<std::vector<double>> asked;
  std::unique_ptr<KernelModel> model;
};

using Draw = std::vector<double> (*)(Random&);
using Truth = double (*)(const std::vector<double>&);

// Of 800 samples, one in a hundred of them a spike.
std::unique_ptr<KernelModel> fed(const KernelShape& shape, Draw draw, Truth truth) {
  auto model = std::make_unique<KernelModel>(shape);
  Random random(1);
  for (int i = 0; i < 800; ++i) {
    const auto p = draw(random);
    feed(*model, p, truth(p) * noise(random, 0.05) * (i % 100 == 57 ? 100 : 1));
  }
  return model;
}

std::vector<double> sizes(Random& random) { return {random.whole(16, 700), random.whole(16, 700)}; }
std::vector<double> tiles(Random& random) { return {64 * random.whole(1, 4), 8}; }
std::vector<double> one(Random& random) { return {std::floor(std::exp(random.uniform(5, 12.5)))}; }
std::vector<double> none(Random&) { return {}; }

// One where each of the models answers.
std::vector<Case> cases() {
  std::vector<Case> list;
  const auto add = [&list](const char* name, KernelShape shape, Draw draw, Truth truth) {
    Case next{name, shape, {}, fed(shape, draw, truth)};
    Random random(2);
    for (int i = 0; i < 20; ++i) next.asked.push_back(draw(random));
    list.push_back(std::move(next));
  };
  add("linear", {{"m", "n"}, {}}, sizes, [](const auto& p) { return 900 + 3 * p[0] * p[1]; });
  add("its own terms", {{"m", "n"}, foretask::model::parse_terms("1,m*n").value()}, sizes,
      [](const auto& p) { return 900 + 3 * p[0] * p[1]; });
  add("history", {{"tile", "kind"}, {}}, tiles, [](const auto& p) { return p[0] == 128 ? 7e5 : 40 * p[0]; });
  add("support points", {{"n"}, {}}, one, [](const auto& p) { return p[0] < 9000 ? p[0] : 25 * p[0]; });
  add(
      "two behaviours", {{"n"}, {}},
      [](Random& random) { return std::vector<double>{random.uniform() < 0.4 ? random.uniform(8e3, 9e3) : 1500}; },
      [](const auto& p) { return p[0] > 2000 ? 9e4 : 4e3; });
  add("level", {{"n"}, {}}, one, [](const auto&) { return 5e4; });
  add("no parameters", {{}, {}}, none, [](const auto&) { return 5e4; });
  add("operators in names", {{"m*n", "log(k), %s"}, {}}, sizes, [](const auto& p) { return 900 + 3 * p[0] / p[1]; });
  return list;
}

}  // namespace

TEST_CASE("what was saved predicts as before") {
  for (const Case& one : cases()) {
    CAPTURE(one.name);
    const auto restored = KernelState::restore(KernelState::save(*one.model), one.shape);
    INFO((restored ? "" : restored.error().what));
    REQUIRE(restored.ok());
    const KernelModel& model = **restored;
    CHECK(model.samples() == 800);
    CHECK(model.stored_samples() == 800);
    CHECK(model.changes() == one.model->changes());
    CHECK(model.prefers_history() == one.model->prefers_history());
    for (const bool known : {false, true}) {
      CHECK(model.ratios(known).interval().low == one.model->ratios(known).interval().low);
      CHECK(model.ratios(known).interval().high == one.model->ratios(known).interval().high);
    }
    for (const auto& p : one.asked) {
      const auto before = one.model->predict(p);
      const auto after = model.predict(p);
      CHECK(after->kind == before->kind);
      // A linear model's coefficients are brought up to date every eighth sample, and here.
      CHECK(after->time == Approx(before->time).epsilon(3e-3));
    }
    // Nothing is lost the second time.
    const json again = KernelState::save(model);
    CHECK(KernelState::save(**KernelState::restore(again, one.shape)) == again);
  }
}

TEST_CASE("a restored model goes on learning as the first one does") {
  for (Case& one : cases()) {
    CAPTURE(one.name);
    auto restored = KernelState::restore(KernelState::save(*one.model), one.shape);
    REQUIRE(restored.ok());
    Random random(3);
    std::vector<double> truth;
    for (const auto& p : one.asked) truth.push_back(1.1 * predicted(*one.model, p));
    for (std::size_t i = 0; i < 200; ++i) {
      const auto& p = one.asked[i % one.asked.size()];
      const double time = truth[i % truth.size()] * noise(random, 0.05);
      feed(*one.model, p, time);
      feed(**restored, p, time);
    }
    for (std::size_t i = 0; i < truth.size(); ++i) {
      CHECK(error(*one.model, one.asked[i], truth[i]) < 0.06);
      CHECK(error(**restored, one.asked[i], truth[i]) < 0.06);
    }
    CHECK((*restored)->samples() == 1000);
  }
}

TEST_CASE("samples of another version stay doubtful across processes until confirmed") {
  auto model = fed({{"n"}, {}}, one, [](const auto& p) { return 3 * p[0]; });
  model->make_stale();
  model->learn(std::vector<double>{500}, 1500);
  const auto restored = KernelState::restore(KernelState::save(*model), {{"n"}, {}});
  REQUIRE(restored.ok());
  CHECK((*restored)->is_stale());
}

TEST_CASE("the program's own terms win over stored ones, from the samples that were kept") {
  const auto model = fed({{"m", "n"}, {}}, sizes, [](const auto& p) { return 900 + 3 * p[0] * p[1]; });
  const KernelShape shape{{"m", "n"}, foretask::model::parse_terms("1,m*n").value()};
  const auto restored = KernelState::restore(KernelState::save(*model), shape);
  REQUIRE(restored.ok());
  CHECK((*restored)->terms().size() == 2);
  CHECK(error(**restored, {333, 222}, 900 + 3 * 333 * 222) < 0.05);
}

TEST_CASE("a state that makes no sense is refused, whatever is wrong with it") {
  const KernelShape shape{{"m", "n"}, {}};
  const auto model = fed(shape, sizes, [](const auto& p) { return 900 + 3 * p[0] * p[1]; });
  const json good = KernelState::save(*model);
  REQUIRE(KernelState::restore(good, shape).ok());
  SECTION("any part of it missing, or of another kind") {
    for (const auto& part : good.items()) {
      CAPTURE(part.key());
      json bad = good;
      bad.erase(part.key());
      // Older stores have no regions.
      const bool is_new = part.key() == "regions" || part.key() == "octaves";
      CHECK(KernelState::restore(bad, shape).ok() == is_new);
      for (const json& other : {json("text"), json(nullptr), json(-1), json(1e300), json::object(), json{{1, 2}, 3}}) {
        bad[part.key()] = other;
        CHECK_FALSE(KernelState::restore(bad, shape).ok());
      }
    }
  }
  SECTION("numbers that cannot be") {
    const auto refused = [&](const char* pointer, const json& value) {
      json bad = good;
      const json::json_pointer place(pointer);
      REQUIRE(bad.contains(place));
      bad[place] = value;
      return !KernelState::restore(bad, shape).ok();
    };
    CHECK(refused("/rows/0/2", 0));
    CHECK(refused("/rows/0/2", -5));
    CHECK(refused("/rows/0/2", 1e300));
    CHECK(refused("/rows/0", json::array({1, 2})));
    CHECK(refused("/tuples/0/weight", 0));
    CHECK(refused("/tuples/0/weight", 1e308));
    CHECK(refused("/tuples/0/samples", 1.5));
    CHECK(refused("/terms/0", json::array({{{"parameter", 2}, {"exponent", 1}, {"log", false}}})));
    CHECK(refused("/terms/0", json::array({{{"parameter", 0}, {"exponent", 0}, {"log", false}}})));
    CHECK(refused("/axis", 2));
    CHECK(refused("/samples", 0));
    CHECK(refused("/scores/0/0", 1.5));
    CHECK(refused("/general_ratios/0", 1e6));
    CHECK(refused("/relative/triangle/0", json::array({1})));
    CHECK(refused("/level", json::array({0, 5})));
    CHECK(refused("/level", json::array({5, -5})));
    CHECK(refused("/clusters/2", -1));
    CHECK(refused("/local/2", -1));
    CHECK(refused("/local/0", 1e12));
    CHECK(refused("/power/0", -1));
  }
  SECTION("other parameters") {
    CHECK_FALSE(KernelState::restore(good, {{"m"}, {}}).ok());
    CHECK_FALSE(KernelState::restore(good, {{"m", "n", "k"}, {}}).ok());
    CHECK_FALSE(KernelState::restore(good, {{}, {}}).ok());
  }
}

TEST_CASE("any number of a state may be any other: it is refused, or what it gives predicts numbers above 0") {
  const KernelShape shape{{"m", "n"}, {}};
  KernelModel model(shape);
  Random random(4);
  for (int i = 0; i < 40; ++i) {
    const auto p = sizes(random);
    feed(model, p, (900 + 3 * p[0] * p[1]) * noise(random, 0.05));
  }
  json state = KernelState::save(model);
  int accepted = 0;
  const json leaves = state.flatten();
  for (const auto& leaf : leaves.items()) {
    if (!leaf.value().is_number()) continue;
    json& place = state[json::json_pointer(leaf.key())];
    for (const double other : {-1e300, -1.0, 0.0, 1e-300, 1e-9, 3.0, 1e18, 1e150, 1e300}) {
      place = other;
      // Counts are whole.
      if (leaf.value().is_number_unsigned() && other >= 0 && other <= 1e18) place = static_cast<std::uint64_t>(other);
      auto restored = KernelState::restore(state, shape);
      if (!restored) continue;
      ++accepted;
      CAPTURE(leaf.key(), other);
      for (int round = 0; round < 2; ++round) {
        const auto snapshot = foretask::predict::Snapshot::of(**restored);
        for (const double x : {0.0, 300.0, 1e6}) {
          const double p[] = {x, 50};
          const auto read = snapshot->predict(p);
          REQUIRE((read.value > 0 && std::isfinite(read.value)));
          REQUIRE((read.low >= 0 && read.low <= read.high));
          REQUIRE(predicted(**restored, {x, 50}) > 0);
        }
        (*restored)->learn(std::vector<double>{300, 50}, 45900);
      }
    }
    place = leaf.value();
  }
  CHECK(accepted > 100);
}

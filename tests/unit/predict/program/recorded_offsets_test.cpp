// SPDX-License-Identifier: Apache-2.0
#include "predict/program/judged_form.hpp"

#include <cmath>
#include <vector>

#include "catch.hpp"

namespace foretask::predict {
namespace {

TEST_CASE("an offset holds where runs were recorded, goes over to the next between them, and fades beyond") {
  // The law says n; 20 % more was recorded at 16, as much at 64, on 1 worker; on 4 workers 10 % less at 64.
  std::vector<ProgramCell> cells(3);
  cells[0].n = 16, cells[0].p = 1, cells[0].time = 16 * 1.2;
  cells[1].n = 64, cells[1].p = 1, cells[1].time = 64;
  cells[2].n = 64, cells[2].p = 4, cells[2].time = 64 * 0.9;
  const RecordedOffsets offsets(cells, [](double n, double) { return n; });
  CHECK(offsets.at(16, 1).log_ratio == Approx(std::log(1.2)));
  CHECK(offsets.at(16, 1).known == 1);
  CHECK(offsets.at(64, 1).log_ratio == Approx(0).margin(1e-12));
  CHECK(offsets.at(32, 1).log_ratio == Approx(std::log(1.2) / 2));
  // An octave away exp(-1) of it is left.
  CHECK(offsets.at(8, 1).log_ratio == Approx(std::log(1.2) / std::exp(1.0)));
  CHECK(offsets.at(128, 4).log_ratio == Approx(std::log(0.9) / std::exp(1.0)));
  CHECK(offsets.at(1 << 30, 4).known < 1e-9);
  // Two workers lie between one and four.
  CHECK(offsets.at(64, 2).log_ratio == Approx(std::log(0.9) / 2));
  CHECK(offsets.at(64, 8).log_ratio == 0);
  CHECK(RecordedOffsets().at(64, 1).log_ratio == 0);
}

}  // namespace
}  // namespace foretask::predict

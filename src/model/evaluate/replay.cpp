// SPDX-License-Identifier: Apache-2.0
#include "model/evaluate/replay.hpp"

#include "model/evaluate/prequential.hpp"
#include "model/evaluate/support_points.hpp"
#include "model/fit/clusters.hpp"

namespace foretask::model {

Replay replay_row(const Rows& rows, std::size_t row) {
  return {std::vector<double>(rows.x.size(), rows.time[row]), {row}};
}

Replay replay_support_points(const Rows& rows) {
  Replay replay;
  SupportPoints points;
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    if (points.wants(rows.x[i])) {
      points.learn(rows.x[i], rows.time[i]);
      replay.measured.push_back(i);
      replay.predicted.push_back(rows.time[i]);
    } else {
      replay.predicted.push_back(*points.predict(rows.x[i]));
    }
  }
  return replay;
}

Replay replay_clusters(const Rows& rows) {
  Replay replay{.predicted = std::vector<double>(rows.x.size()), .measured = {}};
  for (const Cluster& cluster : split_in_two(rows.x)) {
    replay.measured.push_back(cluster.representative);
    for (const std::size_t row : cluster.members) replay.predicted[row] = rows.time[cluster.representative];
  }
  return replay;
}

Replay replay_best(const Rows& rows) {
  Replay replay;
  Prequential models = one_parameter_models();
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    const auto predicted = models.predict(rows.x[i]);
    if (!predicted) replay.measured.push_back(i);
    replay.predicted.push_back(predicted.value_or(rows.time[i]));
    models.learn(rows.x[i], rows.time[i]);
  }
  return replay;
}

}  // namespace foretask::model

// SPDX-License-Identifier: Apache-2.0
#include "model/evaluate/method_run.hpp"

#include "model/evaluate/prequential.hpp"
#include "model/evaluate/support_points.hpp"
#include "model/fit/clusters.hpp"

namespace foretask::model {

MethodRun run_row(const Rows& rows, std::size_t row) {
  return {std::vector<double>(rows.x.size(), rows.time[row]), {row}};
}

MethodRun run_support_points(const Rows& rows) {
  MethodRun run;
  SupportPoints points;
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    if (points.wants(rows.x[i])) {
      points.learn(rows.x[i], rows.time[i]);
      run.measured.push_back(i);
      run.predicted.push_back(rows.time[i]);
    } else {
      run.predicted.push_back(*points.predict(rows.x[i]));
    }
  }
  return run;
}

MethodRun run_clusters(const Rows& rows) {
  MethodRun run{.predicted = std::vector<double>(rows.x.size()), .measured = {}};
  for (const Cluster& cluster : split_in_two(rows.x)) {
    run.measured.push_back(cluster.representative);
    for (const std::size_t row : cluster.members) run.predicted[row] = rows.time[cluster.representative];
  }
  return run;
}

MethodRun run_best(const Rows& rows) {
  MethodRun run;
  Prequential models = one_parameter_models();
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    const auto predicted = models.predict(rows.x[i]);
    if (!predicted) run.measured.push_back(i);
    run.predicted.push_back(predicted.value_or(rows.time[i]));
    models.learn(rows.x[i], rows.time[i]);
  }
  return run;
}

}  // namespace foretask::model

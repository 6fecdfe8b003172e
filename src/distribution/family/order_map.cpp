// SPDX-License-Identifier: Apache-2.0
#include "distribution/family/order_map.hpp"

#include <utility>

#include "distribution/family/log_odds.hpp"

namespace foretask::distribution {
namespace {

class OrderStatistic final : public Univariate {
 public:
  OrderStatistic(UnivariatePtr x, std::uint64_t rank, std::uint64_t n) : x_(std::move(x)), map_(rank, n) {}

  double quantile(double z) const override { return x_->quantile(map_.base_of(z)); }
  double log_odds(double x) const override { return map_.order_of(x_->log_odds(x)); }
  double log_odds_below(double x) const override { return map_.order_of(x_->log_odds_below(x)); }
  std::vector<Piece> pieces() const override {
    std::vector<Piece> pieces = x_->pieces();
    for (Piece& piece : pieces) piece.end = map_.order_of(piece.end);
    return pieces;
  }

 private:
  UnivariatePtr x_;
  OrderMap map_;
};

}  // namespace

OrderMap::OrderMap(std::uint64_t rank, std::uint64_t n)
    : rank_(rank), n_(n), beta_(static_cast<double>(rank), static_cast<double>(n - rank + 1)) {}

double OrderMap::order_of(double z) const {
  if (n_ == 1) return z;
  if (rank_ == n_) return z_of_log_lower(static_cast<double>(n_) * log_lower(z));
  if (rank_ == 1) return z_of_log_upper(static_cast<double>(n_) * log_upper(z));
  return beta_.forward(z);
}

double OrderMap::base_of(double z) const {
  if (n_ == 1) return z;
  if (rank_ == n_) return z_of_log_lower(log_lower(z) / static_cast<double>(n_));
  if (rank_ == 1) return z_of_log_upper(log_upper(z) / static_cast<double>(n_));
  return beta_.inverse(z);
}

UnivariatePtr order_statistic(UnivariatePtr x, std::uint64_t rank, std::uint64_t n) {
  if (n == 1) return x;
  return std::make_shared<OrderStatistic>(std::move(x), rank, n);
}

}  // namespace foretask::distribution

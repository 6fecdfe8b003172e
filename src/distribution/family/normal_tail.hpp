// SPDX-License-Identifier: Apache-2.0
// The standard normal distribution over log odds and over probabilities, all digits in both tails. Pure, thread safe.
#pragma once

namespace foretask::distribution {

// P(T > t), at any t.
[[nodiscard]] double normal_tail(double t) noexcept;
// t >= 0 with P(T > t) = `probability`, which is at most 1/2.
[[nodiscard]] double normal_tail_quantile(double probability) noexcept;

// t with log odds z of P(T <= t), and back; infinite ones too.
[[nodiscard]] double normal_quantile(double z) noexcept;
[[nodiscard]] double normal_log_odds(double t) noexcept;

}  // namespace foretask::distribution

// SPDX-License-Identifier: Apache-2.0
// The one policy of Boost's functions here: nothing throws, and doubles stay doubles. What has no value is infinite or
// NaN.
#pragma once

#include <boost/math/policies/policy.hpp>

namespace foretask::distribution {

inline constexpr auto kIgnored = boost::math::policies::ignore_error;

using QuietMath = boost::math::policies::policy<
    boost::math::policies::domain_error<kIgnored>, boost::math::policies::pole_error<kIgnored>,
    boost::math::policies::overflow_error<kIgnored>, boost::math::policies::underflow_error<kIgnored>,
    boost::math::policies::denorm_error<kIgnored>, boost::math::policies::evaluation_error<kIgnored>,
    boost::math::policies::rounding_error<kIgnored>, boost::math::policies::indeterminate_result_error<kIgnored>,
    boost::math::policies::promote_double<false>>;

}  // namespace foretask::distribution

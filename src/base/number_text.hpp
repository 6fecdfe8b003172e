// SPDX-License-Identifier: Apache-2.0
// Numbers and times as text for people. Any thread.
#pragma once

#include <string>

namespace foretask::base {

// As printf writes it.
[[nodiscard, gnu::format(printf, 1, 2)]] std::string text_of(const char* format, ...);

// With so many significant digits, as printf's %g.
[[nodiscard]] std::string number_text(double value, int digits = 4);

// Three significant digits without an exponent; more before the point.
[[nodiscard]] std::string three_digits(double value);

// "0 ns", "950 ns", "12.3 us", "4 min 10 s", "2.50 h", "36.1 days", "2.74 years": the unit that leaves one to three
// digits before the point, three digits below a minute and from an hour on. "-" where it is not finite.
[[nodiscard]] std::string format_ns(double ns);

}  // namespace foretask::base

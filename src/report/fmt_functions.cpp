// SPDX-License-Identifier: Apache-2.0
// fmt's functions, compiled into what uses them: Debian has fmt as a shared library alone.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

// fmt's headers declare these templates, and say that another file instantiates them: this one.
template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref) -> char;
template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template locale_ref::locale_ref(const std::locale&);
template auto locale_ref::get<std::locale>() const -> std::locale;
#if FMT_VERSION >= 100000
template void vformat_to(buffer<char>&, string_view, typename vformat_args<>::type, locale_ref);
#endif

}  // namespace detail
FMT_END_NAMESPACE

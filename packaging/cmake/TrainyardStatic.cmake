# fmt, xxhash and libcrypto, as shared libraries for most programs and as archives for those that are linked statically
# (trainyard_static_executable). Which one is decided by the program that is being linked, so the libraries
# between do not have to know.
set(for_static "$<BOOL:$<TARGET_PROPERTY:TRAINYARD_STATIC>>")

# Debian has no archive of fmt; its one source file is made here from the headers (as fmt's own src/format.cc).
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/fmt_static.cpp" @ONLY CONTENT [[
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {
template FMT_API auto dragonbox::to_decimal(float x) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double x) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API locale_ref::locale_ref(const std::locale& loc);
template FMT_API auto locale_ref::get<std::locale>() const -> std::locale;
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
template FMT_API void buffer<char>::append(const char*, const char*);
template FMT_API void vformat_to(buffer<char>&, string_view, basic_format_args<FMT_BUFFER_CONTEXT(char)>, locale_ref);
} // namespace detail
FMT_END_NAMESPACE
]])
add_library(trainyard_fmt_static STATIC EXCLUDE_FROM_ALL "${CMAKE_BINARY_DIR}/fmt_static.cpp")

add_library(trainyard_fmt INTERFACE)
target_link_libraries(trainyard_fmt INTERFACE "$<IF:${for_static},trainyard_fmt_static,fmt::fmt>")

find_library(TRAINYARD_XXHASH_ARCHIVE libxxhash.a REQUIRED)
find_library(TRAINYARD_CRYPTO_ARCHIVE libcrypto.a REQUIRED)
add_library(trainyard_hashes INTERFACE)
target_link_libraries(trainyard_hashes INTERFACE
    "$<IF:${for_static},${TRAINYARD_XXHASH_ARCHIVE},PkgConfig::XXHASH>"
    "$<IF:${for_static},${TRAINYARD_CRYPTO_ARCHIVE},OpenSSL::Crypto>")

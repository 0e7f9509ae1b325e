#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// Returns the text that MediaWiki's language converter shows for a rule, the text between "-{" and "}-": the
/// first variant of "zh-hans:...; zh-hant:...", plain text as it is, and an empty text for rules that only
/// apply elsewhere (flags H, T, -).
std::string variantText(std::string_view rule);

} // namespace trainyard

#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// What MediaWiki's language converter shows for what stands between "-{" and "}-": the first variant of
/// "zh-hans:...; zh-hant:...", plain text as it is, and nothing for rules that only apply elsewhere (flags
/// H, T, -).
std::string variantText(std::string_view rule);

} // namespace trainyard

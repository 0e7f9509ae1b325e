#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// Returns `text` with &lt; &gt; &amp; &quot; and &#39; replaced by their characters.
std::string withoutEscapes(std::string_view text);

} // namespace trainyard

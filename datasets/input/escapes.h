#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// `text` with &lt; &gt; &amp; &quot; and &#39; as the characters that they stand for.
std::string withoutEscapes(std::string_view text);

} // namespace trainyard

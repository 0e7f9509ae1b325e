#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// The normal forms of Unicode Standard Annex 15 and the lower case of single code points, with the tables of
/// Hugging Face tokenizers (property_tables.h).
enum class NormalForm { Nfc, Nfd, Nfkc, Nfkd };

/// Requires valid UTF-8. Any thread.
std::string normalized(NormalForm form, std::string_view text);
std::string lowerCased(std::string_view text);

} // namespace trainyard

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/tokenizer_json/normalizer.h"

namespace trainyard {

/// Bytes of a text, the last one not included.
struct TextPlace {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// What a normalizer made of a text, and where each byte of it comes from: exactly where a character was
/// changed by itself, else the word that was, and where words were not changed by themselves the whole text.
class PlacedText {
public:
    /// Requires valid UTF-8.
    PlacedText(const Normalizer& normalizer, std::string_view source);

    const std::string& text() const { return m_text; }
    /// The bytes of the source that those bytes of text() were made of.
    TextPlace sourceOf(TextPlace place) const;

private:
    struct Part {
        TextPlace text;
        TextPlace source;
        bool isSame = false;
    };
    const Part& partAt(std::size_t at) const;

    std::string m_text;
    std::vector<Part> m_parts; ///< of all of m_text, one behind the other
};

} // namespace trainyard

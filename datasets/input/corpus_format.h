#pragma once

#include <cstdint>

namespace trainyard {

/// What the files of a corpus are.
enum class CorpusFormat : std::uint8_t {
    Auto,          ///< what the first bytes of each file look like
    MediaWiki,     ///< export of a wiki
    WikiExtractor, ///< <doc id=... title=...> title, text </doc>
    Articles,      ///< a document a line
    Sentences,     ///< a sentence a line, an empty line behind every document
    JsonLines,     ///< an object a line, with a string "text"
};

} // namespace trainyard

#pragma once

#include <cstdint>

#include "engine/spec/names.h"

namespace trainyard {

/// Format of the files of a corpus.
enum class CorpusFormat : std::uint8_t {
    Auto,          ///< decided by the first bytes of each file
    MediaWiki,     ///< export of a wiki
    WikiExtractor, ///< <doc id=... title=...> title, text </doc>
    Articles,      ///< one document per line
    Sentences,     ///< one sentence per line, an empty line after every document
    JsonLines,     ///< one object per line, with a string "text"
    Parquet,       ///< a row per document, with a column of texts
    Arrow,         ///< the same as a file or stream of Arrow's IPC format
    Megatron,      ///< token ids, in the .idx and .bin of Megatron-LM
};

template <>
inline constexpr auto kEnumNames<CorpusFormat> = nameTable("auto", "mediawiki", "wikiextractor", "articles",
                                                           "sentences", "jsonl", "parquet", "arrow",
                                                           "megatron");

} // namespace trainyard

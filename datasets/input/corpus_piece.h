#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "datasets/options/corpus_format.h"

namespace trainyard {

/// Maximum size of a document; the limit of MediaWiki itself is 2 MiB of text.
constexpr std::size_t kMaxDocumentBytes = std::size_t{64} << 20;

/// Description of a wiki in its MediaWiki export.
struct SiteInfo {
    std::map<int, std::vector<std::string>> namespaces; ///< names by number: 6 -> "Datei", then aliases
    std::string language;                               ///< "de"; empty = not specified
};

/// A position between two documents of a corpus at which reading can resume.
struct CorpusPosition {
    std::uint32_t file = 0;      ///< index in the list of files
    /// Byte offset in the file, offset of the first bit of a bzip2 block, or row group or batch of a table.
    std::uint64_t offset = 0;
    std::uint64_t skip = 0;      ///< bytes of text, or rows, between `offset` and this position
    std::uint64_t documents = 0; ///< before this position, in the whole corpus
    std::uint64_t lines = 0;     ///< before this position, in the file

    bool operator==(const CorpusPosition&) const = default;
};

/// Number of documents, and of skipped ones by reason; the keys are the manifest's counters.
using SkipCounters = std::map<std::string, std::uint64_t>;

struct CorpusDocument {
    enum class Kind : std::uint8_t {
        Markup,     ///< wiki markup
        Paragraphs, ///< plain text, one paragraph per line
        Sentences,  ///< plain text, one sentence per line
        Tokens,     ///< no text, but the ids of its tokens
    };
    std::uint64_t id = 0; ///< id in the file, or its number in the corpus
    std::string title;    ///< not part of the text; may be empty
    std::string text;     ///< valid UTF-8
    Kind kind = Kind::Markup;
    std::vector<std::int32_t> ids{}; ///< of Kind::Tokens; not checked
};

/// Some complete documents, not yet parsed.
struct CorpusPiece {
    std::string bytes;                ///< should be UTF-8; not validated yet
    std::vector<CorpusDocument> rows; ///< of a table or of token ids, instead of `bytes`
    std::string column = "text";      ///< of JSON lines: the name of the text
    CorpusFormat format = CorpusFormat::MediaWiki;
    std::shared_ptr<const SiteInfo> site; ///< never null; empty if the file is not an export
    CorpusPosition begin;
    CorpusPosition end;
    std::uint64_t firstDocument = 0; ///< number in the corpus of the first document in `bytes`
    std::uint64_t firstLine = 0;     ///< lines of the file before `bytes`
    SkipCounters skipped;            ///< documents skipped before they became part of `bytes`
    std::string file;                ///< for messages
    std::string after; ///< for messages: the last page before this piece, "after page 12 \"Anarchism\""
};

} // namespace trainyard

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "datasets/input/corpus_format.h"

namespace trainyard {

/// A document is never longer; MediaWiki's own limit is 2 MiB of text.
constexpr std::size_t kMaxDocumentBytes = std::size_t{64} << 20;

/// What a MediaWiki export says about its wiki.
struct SiteInfo {
    std::map<int, std::vector<std::string>> namespaces; ///< names by number: 6 -> "Datei", then aliases
    std::string language;                               ///< "de"; empty = not said
};

/// A place between two documents of a corpus, from which reading can go on.
struct CorpusPosition {
    std::uint32_t file = 0;      ///< of the list of files
    std::uint64_t offset = 0;    ///< in the file: of a byte, or of the first bit of a bzip2 block
    std::uint64_t skip = 0;      ///< bytes of text between what lies at `offset` and this place
    std::uint64_t documents = 0; ///< before it in the whole corpus
    std::uint64_t lines = 0;     ///< before it in the file

    bool operator==(const CorpusPosition&) const = default;
};

/// How many documents there were, and why some of them were left out, by the names of the manifest's
/// counters.
using SkipCounters = std::map<std::string, std::uint64_t>;

/// Some whole documents, not yet parsed.
struct CorpusPiece {
    std::string bytes; ///< meant to be UTF-8
    CorpusFormat format = CorpusFormat::MediaWiki;
    std::shared_ptr<const SiteInfo> site; ///< never null; empty for what is no export
    CorpusPosition begin;
    CorpusPosition end;
    std::uint64_t firstDocument = 0; ///< number in the corpus of the first one in `bytes`
    std::uint64_t firstLine = 0;     ///< lines of the file before `bytes`
    SkipCounters skipped;            ///< what was left out before it could become part of `bytes`
    std::string file;                ///< for messages
    std::string after; ///< for messages: the last page before, as in "after page 12 \"Anarchism\""
};

struct CorpusDocument {
    enum class Kind : std::uint8_t {
        Markup,     ///< wiki markup
        Paragraphs, ///< plain text, a paragraph a line
        Sentences,  ///< plain text, a sentence a line
    };
    std::uint64_t id = 0; ///< the document's own, or its number in the corpus
    std::string title;    ///< not part of the text; may be empty
    std::string text;     ///< valid UTF-8
    Kind kind = Kind::Markup;
};

} // namespace trainyard

#pragma once

#include <vector>

#include "datasets/input/corpus_piece.h"
#include "engine/base/result.h"

namespace trainyard {

/// The documents of a piece of valid UTF-8 in the format that the function names. BadInput names the line.
std::vector<CorpusDocument> parseArticleLines(const CorpusPiece& piece);
std::vector<CorpusDocument> parseSentenceLines(const CorpusPiece& piece);
/// The first line of a document is left out when it is the title that the tag names. Escaped characters (&lt;
/// and its like) are taken back.
Result<std::vector<CorpusDocument>> parseExtractorDocuments(const CorpusPiece& piece);
/// "text" is the document; "id", if it is a number or names one, and "title" are taken from where they are
/// there; another string as "id" counts by its hash. Objects whose "text" is missing, null or blank are
/// counted and left out.
Result<std::vector<CorpusDocument>> parseJsonLines(const CorpusPiece& piece, SkipCounters& counters);

/// A line of JSON with "\uFFFD" for each escaped half of a surrogate pair whose other half is missing: Python
/// writes such lines, and no JSON reader takes them.
std::string withoutLoneSurrogates(std::string_view line);

} // namespace trainyard

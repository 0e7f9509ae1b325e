#pragma once

#include <vector>

#include "datasets/input/corpus_piece.h"
#include "engine/base/result.h"

namespace trainyard {

/// Each function parses a piece of valid UTF-8 in one format. BadInput names the line.
std::vector<CorpusDocument> parseArticleLines(const CorpusPiece& piece);
std::vector<CorpusDocument> parseSentenceLines(const CorpusPiece& piece);
/// Skips the first line of a document if it repeats the title in the tag. Decodes escaped characters such as
/// &lt;.
Result<std::vector<CorpusDocument>> parseExtractorDocuments(const CorpusPiece& piece);
/// The column of the piece ("text") is the document; "title" and "id" are optional. An "id" may be a number
/// or a string with one; any other string is replaced by its hash. Objects whose text is missing, null or
/// blank are skipped and counted.
Result<std::vector<CorpusDocument>> parseJsonLines(const CorpusPiece& piece, SkipCounters& counters);

/// Returns a line of JSON with "\\uFFFD" in place of each escaped surrogate without a partner: Python writes
/// such lines, but no JSON parser accepts them.
std::string withoutLoneSurrogates(std::string_view line);

} // namespace trainyard

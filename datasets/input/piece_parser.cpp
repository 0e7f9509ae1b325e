#include "datasets/input/piece_parser.h"

#include "datasets/input/page_parser.h"
#include "datasets/input/text_documents.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

Result<std::vector<CorpusDocument>> parseArticles(const CorpusPiece& piece, SkipCounters& counters)
{
    TRAINYARD_TRY(std::vector<Page> pages, parsePages(piece));
    counters["pages"] += pages.size();
    std::vector<CorpusDocument> articles;
    for (Page& page : pages) {
        if (const char* reason = reasonToSkip(page))
            ++counters[reason];
        else
            articles.push_back(
                {page.id, std::move(page.title), std::move(page.text), CorpusDocument::Kind::Markup});
    }
    return articles;
}

std::vector<CorpusDocument> parseRows(const CorpusPiece& piece, SkipCounters& counters)
{
    std::vector<CorpusDocument> documents = piece.rows;
    for (CorpusDocument& document : documents) {
        for (std::string* part : {&document.title, &document.text}) {
            if (!isUtf8(*part))
                counters["characters_repaired"] += repairUtf8(*part);
        }
    }
    return documents;
}

Result<std::vector<CorpusDocument>> parseText(const CorpusPiece& piece, SkipCounters& counters)
{
    switch (piece.format) {
    case CorpusFormat::WikiExtractor:
        return parseExtractorDocuments(piece);
    case CorpusFormat::JsonLines:
        return parseJsonLines(piece, counters);
    case CorpusFormat::Parquet:
    case CorpusFormat::Arrow:
    case CorpusFormat::Megatron:
        return parseRows(piece, counters);
    case CorpusFormat::Sentences:
        return parseSentenceLines(piece);
    default:
        return parseArticleLines(piece);
    }
}

} // namespace

Result<std::vector<CorpusDocument>> parsePiece(const CorpusPiece& piece, SkipCounters& counters)
{
    for (const auto& [reason, amount] : piece.skipped)
        counters[reason] += amount;
    if (!isUtf8(piece.bytes)) {
        CorpusPiece repaired = piece;
        counters["characters_repaired"] += repairUtf8(repaired.bytes);
        repaired.skipped.clear();
        return parsePiece(repaired, counters);
    }
    if (piece.format == CorpusFormat::MediaWiki)
        return parseArticles(piece, counters);
    TRAINYARD_TRY(std::vector<CorpusDocument> documents, parseText(piece, counters));
    counters["documents_read"] += piece.end.documents - piece.firstDocument;
    return documents;
}

} // namespace trainyard

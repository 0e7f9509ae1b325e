#include "datasets/prepare/corpus_stages.h"

#include "datasets/corpus/markup_cleaner.h"
#include "datasets/corpus/sentence_segmenter.h"
#include "datasets/prepare/dump_pages.h"
#include "datasets/prepare/ordered_pipeline.h"
#include "datasets/tokenizer/encoder_pool.h"
#include "datasets/tokenizer/vocabulary_trainer.h"

namespace trainyard {

namespace {

using Pages = std::vector<Page>;

/// What one batch of pages became, and what was lost on the way.
struct TokenizedBatch {
    std::vector<TokenizedDocument> documents;
    DroppedLines dropped;
    std::uint64_t emptyArticles = 0;
    std::uint64_t emptySentences = 0; ///< of characters that the tokenizer removes
};

void add(DroppedLines& sum, const DroppedLines& more)
{
    sum.headings += more.headings;
    sum.listItems += more.listItems;
    sum.tableRows += more.tableRows;
    sum.fragments += more.fragments;
    sum.appendices += more.appendices;
}

void tokenizePage(const Page& page, WordPieceEncoder& encoder, TokenizedBatch& batch)
{
    const CleanText text = cleanMarkup(page.text);
    add(batch.dropped, text.dropped);
    TokenizedDocument document;
    document.pageId = page.id;
    for (const std::string& paragraph : text.paragraphs) {
        for (const std::string_view sentence : splitSentences(paragraph)) {
            const std::size_t before = document.tokens.size();
            encoder.encode(sentence, document.tokens);
            if (document.tokens.size() > before)
                document.sentenceEnds.push_back(static_cast<std::uint32_t>(document.tokens.size()));
            else
                ++batch.emptySentences;
        }
    }
    if (document.sentenceEnds.empty())
        ++batch.emptyArticles;
    else
        batch.documents.push_back(std::move(document));
}

TokenizedBatch tokenizePages(const Pages& pages, WordPieceEncoder& encoder)
{
    TokenizedBatch batch;
    for (const Page& page : pages)
        tokenizePage(page, encoder, batch);
    return batch;
}

void countDropped(const TokenizedBatch& batch, Progress& progress)
{
    progress.count(Stage::Clean, "headings_dropped", batch.dropped.headings);
    progress.count(Stage::Clean, "list_items_dropped", batch.dropped.listItems);
    progress.count(Stage::Clean, "table_rows_dropped", batch.dropped.tableRows);
    progress.count(Stage::Clean, "fragments_dropped", batch.dropped.fragments);
    progress.count(Stage::Clean, "appendix_lines_dropped", batch.dropped.appendices);
    progress.count(Stage::Clean, "articles_without_text", batch.emptyArticles);
    progress.count(Stage::Sentences, "sentences_without_tokens", batch.emptySentences);
}

Status store(const TokenizedBatch& batch, Progress& progress, DocumentStore& documents)
{
    progress.advance(Stage::Clean, batch.documents.size() + batch.emptyArticles);
    countDropped(batch, progress);
    for (const TokenizedDocument& document : batch.documents) {
        TRAINYARD_TRY_STATUS(documents.append(document));
        progress.advance(Stage::Sentences, document.sentenceEnds.size());
        progress.advance(Stage::Tokens, document.tokens.size());
    }
    return {};
}

WordCounts countPages(const Pages& pages, const TextNormalizer& normalizer)
{
    WordCounts counts;
    for (const Page& page : pages) {
        for (const std::string& paragraph : cleanMarkup(page.text).paragraphs)
            countWords(normalizer, paragraph, counts);
    }
    return counts;
}

} // namespace

Result<std::string> trainVocabularyOnDumps(const PrepareOptions& options, Progress& progress,
                                           const CancelFlag& cancel)
{
    const TextNormalizer normalizer(*unicodeTables(options.profile), options.cased);
    TRAINYARD_TRY(DumpPages pages, DumpPages::open(options.dumps, Stage::Vocabulary, progress, cancel));
    WordCounts counts;
    TRAINYARD_TRY_STATUS((OrderedPipeline<Pages, WordCounts>::run(
        options.threads, [&] { return pages.nextBatch(); },
        [&](Pages&& batch) { return countPages(batch, normalizer); },
        [&](WordCounts&& more) -> Status {
            for (const auto& [word, count] : more)
                counts[word] += count;
            return {};
        })));
    VocabularyTraining training;
    training.size = options.trainVocabulary;
    auto vocabulary = trainVocabulary(counts, training, [&] { return cancel.isSet(); });
    if (!vocabulary.ok())
        return vocabulary.error().in("--train-vocab");
    progress.finish(Stage::Vocabulary);
    progress.forgetCounters(
        Stage::Vocabulary); // the same pages are counted again when they are read for good
    return vocabulary;
}

Status tokenizeDumps(const PrepareOptions& options, const WordPiece& tokenizer, Progress& progress,
                     const CancelFlag& cancel, DocumentStore& documents)
{
    TRAINYARD_TRY(DumpPages pages, DumpPages::open(options.dumps, Stage::Read, progress, cancel));
    for (const Stage stage : {Stage::Clean, Stage::Sentences, Stage::Tokens})
        progress.start(stage);
    EncoderPool encoders(tokenizer);
    TRAINYARD_TRY_STATUS((OrderedPipeline<Pages, TokenizedBatch>::run(
        options.threads, [&] { return pages.nextBatch(); },
        [&](Pages&& batch) {
            return encoders.with([&](WordPieceEncoder& encoder) { return tokenizePages(batch, encoder); });
        },
        [&](TokenizedBatch&& batch) { return store(batch, progress, documents); })));
    for (const Stage stage : {Stage::Read, Stage::Clean, Stage::Sentences, Stage::Tokens})
        progress.finish(stage);
    return documents.seal();
}

} // namespace trainyard

#include "datasets/prepare/corpus_stages.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "datasets/corpus/markup_cleaner.h"
#include "datasets/corpus/punkt_segmenter.h"
#include "datasets/corpus/rule_segmenter.h"
#include "datasets/input/corpus_input.h"
#include "datasets/input/piece_parser.h"
#include "datasets/input/text_lines.h"
#include "datasets/job/ordered_pipeline.h"
#include "datasets/tokenizer/vocabulary_trainer.h"
#include "datasets/tokenizer/wordpiece_encoder.h"

namespace trainyard {

namespace {

/// Lends encoders with their caches to the threads of a stage; creates as many as are in use at the same
/// time. Any thread may use it.
class EncoderPool {
public:
    explicit EncoderPool(const WordPiece& wordPiece) : m_wordPiece(wordPiece) {}

    /// Returns use(WordPieceEncoder&); no other thread uses that encoder meanwhile.
    template <typename Use>
    auto with(Use use)
    {
        std::unique_ptr<WordPieceEncoder> encoder = take();
        auto result = use(*encoder);
        const std::lock_guard lock(m_mutex);
        m_spare.push_back(std::move(encoder));
        return result;
    }

private:
    std::unique_ptr<WordPieceEncoder> take()
    {
        const std::lock_guard lock(m_mutex);
        if (m_spare.empty())
            return std::make_unique<WordPieceEncoder>(m_wordPiece);
        std::unique_ptr<WordPieceEncoder> encoder = std::move(m_spare.back());
        m_spare.pop_back();
        return encoder;
    }

    const WordPiece& m_wordPiece;
    std::mutex m_mutex;
    std::vector<std::unique_ptr<WordPieceEncoder>> m_spare;
};

/// Result of one piece of the corpus, with counters of skipped parts.
struct TokenizedBatch {
    std::vector<TokenizedDocument> documents;
    SkipCounters read;
    DroppedLines dropped;
    std::uint64_t emptyArticles = 0;
    std::uint64_t emptySentences = 0; ///< with only characters that the tokenizer removes
    std::uint64_t unknownTokens = 0;  ///< [UNK]
    CorpusPosition end;               ///< end of the piece
};

void add(DroppedLines& sum, const DroppedLines& more)
{
    sum.headings += more.headings;
    sum.listItems += more.listItems;
    sum.tableRows += more.tableRows;
    sum.preformatted += more.preformatted;
    sum.fragments += more.fragments;
    sum.appendices += more.appendices;
}

MarkupSettings markupSettings(const PrepareOptions& options, const SiteInfo& site)
{
    MarkupSettings settings;
    for (const auto& [number, names] : site.namespaces) {
        for (const std::string& name : names)
            settings.addNamespace(number, name);
    }
    settings.keepHeadings = options.keepHeadings;
    settings.keepLists = options.keepLists;
    return settings;
}

Result<std::unique_ptr<SentenceSegmenter>> openSegmenter(const PrepareOptions& options)
{
    using Segmenter = std::unique_ptr<SentenceSegmenter>;
    if (options.punkt.empty())
        return Segmenter(std::make_unique<RuleSegmenter>());
    TRAINYARD_TRY(PunktParameters parameters, PunktParameters::load(options.punkt));
    return Segmenter(std::make_unique<PunktSegmenter>(std::move(parameters)));
}

/// Calls visit(line, isSentence) for each line that is not blank.
template <typename Visit>
void visitLines(std::string_view text, bool isSentence, const Visit& visit)
{
    while (const auto line = takeLine(text)) {
        if (!isBlank(*line))
            visit(*line, isSentence);
    }
}

/// Calls visit(paragraph, isSentence) for each paragraph of the document; some are one sentence.
template <typename Visit>
void visitParagraphs(const CorpusDocument& document, const MarkupSettings& markup, DroppedLines& dropped,
                     const Visit& visit)
{
    if (document.kind != CorpusDocument::Kind::Markup)
        return visitLines(document.text, document.kind == CorpusDocument::Kind::Sentences, visit);
    const CleanText text = cleanMarkup(document.text, markup);
    add(dropped, text.dropped);
    for (const Paragraph& paragraph : text.paragraphs)
        visit(paragraph.text, paragraph.heading);
}

void tokenizeDocument(const CorpusDocument& read, const MarkupSettings& markup,
                      const SentenceSegmenter& segmenter, WordPieceEncoder& encoder, TokenizedBatch& batch)
{
    TokenizedDocument document;
    document.pageId = read.id;
    const auto addSentence = [&](std::string_view sentence) {
        const std::size_t before = document.tokens.size();
        encoder.encode(sentence, document.tokens);
        if (document.tokens.size() == before) {
            ++batch.emptySentences;
            return;
        }
        document.sentenceEnds.push_back(static_cast<std::uint32_t>(document.tokens.size()));
        document.textBytes += sentence.size() + 1;
    };
    visitParagraphs(read, markup, batch.dropped, [&](std::string_view paragraph, bool isSentence) {
        if (isSentence)
            return addSentence(paragraph);
        for (const std::string_view sentence : segmenter.split(paragraph))
            addSentence(sentence);
    });
    if (document.sentenceEnds.empty())
        ++batch.emptyArticles;
    else
        batch.documents.push_back(std::move(document));
}

Result<TokenizedBatch> tokenizePiece(const CorpusPiece& piece, const PrepareOptions& options,
                                     const SentenceSegmenter& segmenter, std::int32_t unknown,
                                     WordPieceEncoder& encoder)
{
    TokenizedBatch batch;
    batch.end = piece.end;
    const MarkupSettings markup = markupSettings(options, *piece.site);
    TRAINYARD_TRY(const std::vector<CorpusDocument> documents, parsePiece(piece, batch.read));
    for (const CorpusDocument& document : documents)
        tokenizeDocument(document, markup, segmenter, encoder, batch);
    for (const TokenizedDocument& document : batch.documents)
        batch.unknownTokens += static_cast<std::uint64_t>(std::ranges::count(document.tokens, unknown));
    return batch;
}

void countDropped(const TokenizedBatch& batch, Progress& progress)
{
    progress.count(Stage::Clean, "headings_dropped", batch.dropped.headings);
    progress.count(Stage::Clean, "list_items_dropped", batch.dropped.listItems);
    progress.count(Stage::Clean, "table_rows_dropped", batch.dropped.tableRows);
    progress.count(Stage::Clean, "preformatted_lines_dropped", batch.dropped.preformatted);
    progress.count(Stage::Clean, "fragments_dropped", batch.dropped.fragments);
    progress.count(Stage::Clean, "appendix_lines_dropped", batch.dropped.appendices);
    progress.count(Stage::Clean, "articles_without_text", batch.emptyArticles);
    progress.count(Stage::Sentences, "sentences_without_tokens", batch.emptySentences);
    progress.count(Stage::Tokens, "unknown_tokens", batch.unknownTokens);
}

Status store(const TokenizedBatch& batch, Progress& progress, DocumentStore& documents)
{
    for (const auto& [counter, amount] : batch.read)
        progress.count(Stage::Read, counter, amount);
    progress.advance(Stage::Clean, batch.documents.size() + batch.emptyArticles);
    countDropped(batch, progress);
    for (const TokenizedDocument& document : batch.documents) {
        TRAINYARD_TRY_STATUS(documents.append(document));
        progress.advance(Stage::Sentences, document.sentenceEnds.size());
        progress.advance(Stage::Tokens, document.tokens.size());
    }
    return {};
}

/// Starts the stages; counts the documents stored by an earlier process as done.
void startCounting(const DocumentStore& documents, Progress& progress)
{
    for (const Stage stage : {Stage::Clean, Stage::Sentences, Stage::Tokens})
        progress.start(stage);
    progress.skip(Stage::Clean, documents.size());
    progress.skip(Stage::Sentences, documents.sentences());
    progress.skip(Stage::Tokens, documents.tokens());
}

Result<WordCounts> countPiece(const CorpusPiece& piece, const PrepareOptions& options,
                              const TextNormalizer& normalizer)
{
    const MarkupSettings markup = markupSettings(options, *piece.site);
    WordCounts counts;
    SkipCounters read; // not reported; the second reading counts the same documents
    DroppedLines dropped;
    TRAINYARD_TRY(const std::vector<CorpusDocument> documents, parsePiece(piece, read));
    for (const CorpusDocument& document : documents)
        visitParagraphs(document, markup, dropped,
                        [&](std::string_view paragraph, bool) { countWords(normalizer, paragraph, counts); });
    return counts;
}

/// Opens the corpus and starts the stage with its size.
Result<CorpusInput> openCorpus(const PrepareOptions& options, const CorpusPosition& from, Stage stage,
                               Progress& progress, const CancelFlag& cancel)
{
    TRAINYARD_TRY(CorpusInput input, CorpusInput::open(options.dumps, options.format, options.threads, from,
                                                       [&cancel] { return cancel.isSet(); }));
    progress.start(stage, input.bytesTotal());
    progress.skip(stage, input.bytesRead());
    return input;
}

Result<std::optional<CorpusPiece>> nextPiece(CorpusInput& input, Stage stage, Progress& progress,
                                             const CancelFlag& cancel)
{
    TRAINYARD_TRY_STATUS(cancel.check());
    auto piece = input.next();
    TRAINYARD_TRY_STATUS(cancel.check()); // the read may have waited for a pipe
    progress.set(stage, input.bytesRead());
    return piece;
}

std::string namesOf(const std::set<CorpusFormat>& formats)
{
    std::string names;
    for (const CorpusFormat format : formats)
        names.append(names.empty() ? "" : "+").append(nameOf(format));
    return names;
}

void warnOfOtherCase(const PrepareOptions& options, const Vocabulary& vocabulary, Progress& progress)
{
    if (options.trainVocabulary > 0 || options.cased == vocabulary.looksCased())
        return;
    progress.warn("vocabulary-case",
                  options.cased ? "the vocabulary has almost no capital letters: with --cased, words that "
                                  "contain one become [UNK]; omit --cased if the vocabulary is uncased"
                                : "the vocabulary has capital letters, but without --cased the text has "
                                  "none; use --cased if the vocabulary is cased");
}

/// Includes the tokens counted by an earlier process.
void warnOfUnknownTokens(const DocumentStore& documents, Progress& progress)
{
    constexpr std::uint64_t kManyPercent = 5;
    const std::uint64_t unknown = progress.counters()["unknown_tokens"];
    if (unknown * 100 <= documents.tokens() * kManyPercent)
        return;
    progress.warn(
        "unknown-tokens",
        fmt::format("{} of {} tokens are [UNK], {:.1f} %: the vocabulary may be for another language or case",
                    unknown, documents.tokens(),
                    100.0 * static_cast<double>(unknown) / static_cast<double>(documents.tokens())));
}

/// Refuses standard input, because training a vocabulary reads the corpus twice.
Status requireSecondReading(const PrepareOptions& options)
{
    if (std::ranges::find(options.dumps, "-") == options.dumps.end())
        return {};
    return badInput("--train-vocab reads the corpus twice, but standard input can only be read once",
                    "pass files, or a vocabulary with --vocab");
}

} // namespace

Result<std::string> trainVocabularyOnDumps(const PrepareOptions& options, Progress& progress,
                                           const CancelFlag& cancel)
{
    const TextNormalizer normalizer(*unicodeTables(options.profile), options.cased);
    TRAINYARD_TRY_STATUS(requireSecondReading(options));
    TRAINYARD_TRY(CorpusInput input, openCorpus(options, {}, Stage::Vocabulary, progress, cancel));
    WordCounts counts;
    TRAINYARD_TRY_STATUS((OrderedPipeline<CorpusPiece, Result<WordCounts>>::run(
        options.threads, [&] { return nextPiece(input, Stage::Vocabulary, progress, cancel); },
        [&](CorpusPiece&& piece) {
            const ThreadBudget::Share share(input.threads());
            return countPiece(piece, options, normalizer);
        },
        [&](Result<WordCounts>&& more) -> Status {
            TRAINYARD_TRY(const WordCounts words, std::move(more));
            addCounts(words, kMaxWords, counts);
            return {};
        })));
    VocabularyTraining training;
    training.size = options.trainVocabulary;
    auto vocabulary = trainVocabulary(counts, training, [&] { return cancel.isSet(); });
    if (!vocabulary.ok())
        return vocabulary.error().in("--train-vocab");
    progress.finish(Stage::Vocabulary);
    return vocabulary;
}

Result<std::string> tokenizeDumps(const PrepareOptions& options, const Vocabulary& vocabulary,
                                  const CorpusPosition& from, const SaveCorpus& save, Progress& progress,
                                  const CancelFlag& cancel, DocumentStore& documents)
{
    using Clock = std::chrono::steady_clock;
    TRAINYARD_TRY(const auto segmenter, openSegmenter(options));
    TRAINYARD_TRY(CorpusInput input, openCorpus(options, from, Stage::Read, progress, cancel));
    warnOfOtherCase(options, vocabulary, progress);
    startCounting(documents, progress);
    Clock::time_point nextSave = Clock::now() + options.saveEvery;
    const WordPiece tokenizer(vocabulary, *unicodeTables(options.profile), options.cased);
    EncoderPool encoders(tokenizer);
    TRAINYARD_TRY_STATUS((OrderedPipeline<CorpusPiece, Result<TokenizedBatch>>::run(
        options.threads, [&] { return nextPiece(input, Stage::Read, progress, cancel); },
        [&](CorpusPiece&& piece) {
            const ThreadBudget::Share share(input.threads());
            return encoders.with([&](WordPieceEncoder& encoder) {
                return tokenizePiece(piece, options, *segmenter, vocabulary.special().unknown, encoder);
            });
        },
        [&](Result<TokenizedBatch>&& read) -> Status {
            TRAINYARD_TRY(const TokenizedBatch batch, std::move(read));
            TRAINYARD_TRY_STATUS(store(batch, progress, documents));
            if (Clock::now() < nextSave)
                return {};
            nextSave = Clock::now() + options.saveEvery;
            return save(batch.end);
        })));
    for (const Stage stage : {Stage::Read, Stage::Clean, Stage::Sentences, Stage::Tokens})
        progress.finish(stage);
    warnOfUnknownTokens(documents, progress);
    return namesOf(input.formats());
}

} // namespace trainyard

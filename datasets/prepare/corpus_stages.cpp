#include "datasets/prepare/corpus_stages.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "datasets/input/corpus_input.h"
#include "datasets/input/piece_parser.h"
#include "datasets/job/ordered_pipeline.h"
#include "datasets/prepare/document_tokenizer.h"
#include "datasets/prepare/given_tokens.h"
#include "datasets/tokenizer/vocabulary_trainer.h"
#include "datasets/tokenizer_json/byte_pair_trainer.h"

namespace trainyard {

namespace {

/// Lends encoders with their caches to the threads of a stage; creates as many as are in use at the same
/// time. Any thread may use it.
class EncoderPool {
public:
    explicit EncoderPool(const Tokenizer& tokenizer) : m_tokenizer(tokenizer) {}

    /// Returns use(TextEncoder&); no other thread uses that encoder meanwhile.
    template <typename Use>
    auto with(Use use)
    {
        std::unique_ptr<TextEncoder> encoder = take();
        auto result = use(*encoder);
        const std::lock_guard lock(m_mutex);
        m_spare.push_back(std::move(encoder));
        return result;
    }

private:
    std::unique_ptr<TextEncoder> take()
    {
        const std::lock_guard lock(m_mutex);
        if (m_spare.empty())
            return m_tokenizer.encoder();
        std::unique_ptr<TextEncoder> encoder = std::move(m_spare.back());
        m_spare.pop_back();
        return encoder;
    }

    const Tokenizer& m_tokenizer;
    std::mutex m_mutex;
    std::vector<std::unique_ptr<TextEncoder>> m_spare;
};

/// Result of one piece of the corpus, with counters of skipped parts.
struct TokenizedBatch {
    std::vector<TokenizedDocument> documents;
    SkipCounters read;
    TokenizingCounts counts;
    std::uint64_t emptyArticles = 0;
    std::uint64_t unknownTokens = 0;  ///< [UNK]
    CorpusPosition end;               ///< end of the piece
};

/// Of documents that are numbered; their file counts them from 0.
std::uint64_t numberInFile(const CorpusPiece& piece, const CorpusDocument& document)
{
    return piece.begin.offset + (document.id - piece.firstDocument);
}

Result<TokenizedBatch> tokenizePiece(const CorpusPiece& piece, const PrepareOptions& options,
                                     const SentenceSegmenter& segmenter, const RowTokenizer& tokenizer,
                                     TextEncoder& encoder)
{
    TokenizedBatch batch;
    batch.end = piece.end;
    const MarkupSettings markup = markupSettings(options, *piece.site);
    TRAINYARD_TRY(const std::vector<CorpusDocument> read, parsePiece(piece, batch.read));
    DocumentTokenizer documents(tokenizer, encoder, markup, segmenter);
    const std::int32_t unknown = tokenizer.vocabulary.special().unknown;
    const auto tokensOf = [&](const CorpusDocument& one) -> Result<TokenizedDocument> {
        if (one.kind != CorpusDocument::Kind::Tokens)
            return documents.tokenize(one, batch.counts);
        auto given = givenDocument(one, tokenizer);
        if (!given.ok())
            return given.error().in(fmt::format("{}: document {}", piece.file, numberInFile(piece, one)));
        return given;
    };
    for (const CorpusDocument& one : read) {
        TRAINYARD_TRY(TokenizedDocument document, tokensOf(one));
        batch.unknownTokens += static_cast<std::uint64_t>(std::ranges::count(document.tokens, unknown));
        if (document.sentenceEnds.empty())
            ++batch.emptyArticles;
        else
            batch.documents.push_back(std::move(document));
    }
    return batch;
}

void countDropped(const TokenizedBatch& batch, Progress& progress)
{
    progress.count(Stage::Clean, "headings_dropped", batch.counts.dropped.headings);
    progress.count(Stage::Clean, "list_items_dropped", batch.counts.dropped.listItems);
    progress.count(Stage::Clean, "table_rows_dropped", batch.counts.dropped.tableRows);
    progress.count(Stage::Clean, "preformatted_lines_dropped", batch.counts.dropped.preformatted);
    progress.count(Stage::Clean, "fragments_dropped", batch.counts.dropped.fragments);
    progress.count(Stage::Clean, "appendix_lines_dropped", batch.counts.dropped.appendices);
    progress.count(Stage::Clean, "articles_without_text", batch.emptyArticles);
    progress.count(Stage::Sentences, "sentences_without_tokens", batch.counts.emptySentences);
    progress.count(Stage::Tokens, "unknown_tokens", batch.unknownTokens);
}

Status store(const TokenizedBatch& batch, std::size_t source, Progress& progress, DocumentStore& documents)
{
    for (const auto& [counter, amount] : batch.read)
        progress.count(Stage::Read, counter, amount);
    progress.advance(Stage::Clean, batch.documents.size() + batch.emptyArticles);
    countDropped(batch, progress);
    for (const TokenizedDocument& document : batch.documents) {
        TRAINYARD_TRY_STATUS(documents.append(document, source));
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

/// Adds the words of one document.
using CountText = std::function<void(const CorpusDocument&, const MarkupSettings&, WordCounts&)>;

Result<WordCounts> countPiece(const CorpusPiece& piece, const PrepareOptions& options, const CountText& count)
{
    const MarkupSettings markup = markupSettings(options, *piece.site);
    WordCounts counts;
    SkipCounters read; // not reported; the second reading counts the same documents
    TRAINYARD_TRY(const std::vector<CorpusDocument> documents, parsePiece(piece, read));
    for (const CorpusDocument& document : documents)
        count(document, markup, counts);
    return counts;
}

CorpusFiles corpusFiles(const PrepareOptions& options)
{
    CorpusFiles files{options.dumps, options.format};
    if (!options.task.text.empty())
        files.column = options.task.text;
    return files;
}

/// Opens the corpus and starts the stage with its size.
Result<CorpusInput> openCorpus(const PrepareOptions& options, const CorpusPosition& from, Stage stage,
                               Progress& progress, const CancelFlag& cancel)
{
    TRAINYARD_TRY(CorpusInput input, CorpusInput::open(corpusFiles(options), options.threads, from,
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

void warnOfOtherCase(const PrepareOptions& options, const RowTokenizer& tokenizer, Progress& progress)
{
    if (options.trainVocabulary > 0 || tokenizer.isTokenizerJson() ||
        options.cased == tokenizer.vocabulary.looksCased())
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

/// Refuses standard input, because training reads the corpus twice.
Status requireSecondReading(const PrepareOptions& options, const char* option)
{
    if (std::ranges::find(options.dumps, "-") == options.dumps.end())
        return {};
    return badInput(
        fmt::format("{} reads the corpus twice, but standard input can only be read once", option),
        fmt::format("pass files, or a finished one with {}",
                    options.trainTokenizer > 0 ? "--tokenizer" : "--vocab"));
}

Result<WordCounts> countDumps(const PrepareOptions& options, const CountText& count, Progress& progress,
                              const CancelFlag& cancel)
{
    TRAINYARD_TRY(CorpusInput input, openCorpus(options, {}, Stage::Vocabulary, progress, cancel));
    WordCounts counts;
    TRAINYARD_TRY_STATUS((OrderedPipeline<CorpusPiece, Result<WordCounts>>::run(
        options.threads, [&] { return nextPiece(input, Stage::Vocabulary, progress, cancel); },
        [&](CorpusPiece&& piece) {
            const ThreadBudget::Share share(input.threads());
            return countPiece(piece, options, count);
        },
        [&](Result<WordCounts>&& more) -> Status {
            TRAINYARD_TRY(const WordCounts words, std::move(more));
            addCounts(words, kMaxWords, counts);
            return {};
        })));
    return counts;
}

/// With RoBERTa's special tokens for rows with masks, GPT-2's for running text.
BytePairTraining trainingFor(const PrepareOptions& options)
{
    BytePairTraining training;
    training.size = options.trainTokenizer;
    if (options.instances.objective == Objective::Tokens)
        return training;
    training.special = {"<s>", "<pad>", "</s>", "<unk>", "<mask>"};
    training.rowBegin = "<s>";
    training.rowEnd = "</s>";
    training.mask = "<mask>";
    return training;
}

} // namespace

Result<std::string> trainVocabularyOnDumps(const PrepareOptions& options, Progress& progress,
                                           const CancelFlag& cancel)
{
    const TextNormalizer normalizer(*unicodeTables(options.profile), options.cased);
    TRAINYARD_TRY_STATUS(requireSecondReading(options, "--train-vocab"));
    const auto count = [&](const CorpusDocument& document, const MarkupSettings& markup, WordCounts& counts) {
        DroppedLines dropped;
        visitParagraphs(document, markup, dropped,
                        [&](std::string_view paragraph, bool) { countWords(normalizer, paragraph, counts); });
    };
    TRAINYARD_TRY(const WordCounts counts, countDumps(options, count, progress, cancel));
    VocabularyTraining training;
    training.size = options.trainVocabulary;
    auto vocabulary = trainVocabulary(counts, training, [&] { return cancel.isSet(); });
    if (!vocabulary.ok())
        return vocabulary.error().in("--train-vocab");
    progress.finish(Stage::Vocabulary);
    return vocabulary;
}

Result<std::string> trainTokenizerOnDumps(const PrepareOptions& options, Progress& progress,
                                          const CancelFlag& cancel)
{
    TRAINYARD_TRY_STATUS(requireSecondReading(options, "--train-tokenizer"));
    const BytePairTraining training = trainingFor(options);
    const PieceCounter pieces(training.split);
    const auto count = [&](const CorpusDocument& document, const MarkupSettings& markup, WordCounts& counts) {
        DroppedLines dropped;
        pieces.count(runningText(document, markup, dropped), counts);
    };
    TRAINYARD_TRY(const WordCounts counts, countDumps(options, count, progress, cancel));
    auto tokenizer = trainBytePairs(counts, training, [&] { return cancel.isSet(); });
    if (!tokenizer.ok())
        return tokenizer.error().in("--train-tokenizer");
    progress.finish(Stage::Vocabulary);
    return tokenizer;
}

Result<std::string> tokenizeDumps(const PrepareOptions& options, const RowTokenizer& tokenizer,
                                  const CorpusPosition& from, const SaveCorpus& save, Progress& progress,
                                  const CancelFlag& cancel, DocumentStore& documents)
{
    using Clock = std::chrono::steady_clock;
    TRAINYARD_TRY(const auto segmenter, openSegmenter(options));
    TRAINYARD_TRY(CorpusInput input, openCorpus(options, from, Stage::Read, progress, cancel));
    warnOfOtherCase(options, tokenizer, progress);
    startCounting(documents, progress);
    Clock::time_point nextSave = Clock::now() + options.saveEvery;
    EncoderPool encoders(*tokenizer.tokenizer);
    TRAINYARD_TRY_STATUS((OrderedPipeline<CorpusPiece, Result<TokenizedBatch>>::run(
        options.threads, [&] { return nextPiece(input, Stage::Read, progress, cancel); },
        [&](CorpusPiece&& piece) {
            const ThreadBudget::Share share(input.threads());
            return encoders.with([&](TextEncoder& encoder) {
                return tokenizePiece(piece, options, *segmenter, tokenizer, encoder);
            });
        },
        [&](Result<TokenizedBatch>&& read) -> Status {
            TRAINYARD_TRY(const TokenizedBatch batch, std::move(read));
            TRAINYARD_TRY_STATUS(store(batch, options.sources.at(batch.end.file), progress, documents));
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

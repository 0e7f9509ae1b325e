#include "engine/worker/task_trial.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "datasets/metrics/span_search.h"
#include "datasets/shards/manifest.h"
#include "datasets/tasks/task_rows.h"
#include "engine/base/counted.h"
#include "engine/base/untrusted_text.h"
#include "engine/base/utf8.h"
#include "engine/nn/language_model.h"
#include "engine/spec/names.h"
#include "engine/worker/task_output.h"
#include "engine/worker/try_inputs.h"

namespace trainyard {

namespace {

/// What the data set of a checkpoint's run says about the rows that the model has learned from.
struct LearnedRows {
    std::vector<std::string> labels;
    std::size_t length = std::string::npos; ///< tokens of the longest row
    std::size_t docStride = 128;
    bool lackAnswers = false; ///< some contexts have no answer
};

/// A data set that is gone leaves the defaults: the model works without it.
LearnedRows learnedRows(const StoredModel& model)
{
    LearnedRows rows;
    rows.labels = model.labels();
    const std::string folder = model.dataSet();
    const auto manifest = folder.empty() ? Result<Manifest>(badInput("no data set")) : Manifest::load(folder);
    if (!manifest.ok() || manifest->taskKind() != model.spec().task.kind)
        return rows;
    rows.labels = manifest->task.labels;
    rows.length = static_cast<std::size_t>(manifest->sequenceLength);
    rows.docStride = static_cast<std::size_t>(std::max(0, manifest->task.docStride));
    const auto lacking = manifest->counters.find("questions_without_answer");
    rows.lackAnswers = lacking != manifest->counters.end() && lacking->second > 0;
    return rows;
}

std::size_t charactersIn(std::string_view text)
{
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); ++count)
        at += decodeUtf8(text, at).bytes;
    return count;
}

/// A part of a text, safe to be shown.
std::string partOf(std::string_view text, std::size_t begin, std::size_t end)
{
    return sanitizeText(text.substr(begin, end - begin), Lines::Many);
}

std::vector<std::int32_t> idsOf(const std::vector<AlignedPiece>& pieces)
{
    std::vector<std::int32_t> ids;
    for (const AlignedPiece& piece : pieces)
        ids.push_back(piece.id);
    return ids;
}

EncodedRow encoded(const TaskRow& row)
{
    return {{row.tokens.begin(), row.tokens.end()}, row.firstSegment};
}

/// Bytes of a text.
struct TextWord {
    std::size_t begin = 0;
    std::size_t end = 0;
};

std::vector<TextWord> wordsOf(std::string_view text, const TextCodec& codec)
{
    const std::vector<AlignedPiece> pieces = codec.align(text);
    const std::vector<bool> starts = codec.findWords(idsOf(pieces));
    std::vector<TextWord> words;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (starts[i])
            words.push_back({pieces[i].begin, pieces[i].end});
        else
            words.back().end = std::max(words.back().end, pieces[i].end);
    }
    std::erase_if(words, [](const TextWord& word) { return word.begin == word.end; }); // white space
    return words;
}

/// Reads what is tried, asks the model and prints what it says.
class TaskTrial {
public:
    TaskTrial(const TryOptions& options, StoredModel model, AnswerOutput& output)
        : m_options(options)
        , m_stored(std::move(model))
        , m_learned(learnedRows(m_stored))
        , m_output(m_learned.labels, options.json, output)
    {
    }

    Status run()
    {
        TRAINYARD_TRY_STATUS(checkPair());
        TRAINYARD_TRY_STATUS(readPrompts());
        if (kind() == TaskKind::Answer)
            return answerQuestion();
        return kind() == TaskKind::Tag && hasText() ? tagText() : judgeRows();
    }

private:
    TaskKind kind() const { return m_stored.spec().task.kind; }
    bool hasText() const { return m_options.tokenIds.empty(); }
    std::size_t count() const { return static_cast<std::size_t>(m_options.answers); }

    Status checkPair() const
    {
        const bool answers = kind() == TaskKind::Answer;
        if (answers && !hasText())
            return badInput("a model that answers finds parts of a text, and --token-ids has none",
                            "give the question as TEXT and the text with --pair");
        if (answers && m_options.pair.empty())
            return badInput("there is no text for the model to find the answer in",
                            "give the text that has the answer with --pair");
        const bool takesPair = kind() != TaskKind::Tag && hasText();
        if (!m_options.pair.empty() && !takesPair)
            return badInput(hasText() ? "--pair has no meaning for a model that tags words"
                                      : "--pair cannot be combined with --token-ids",
                            "leave it out");
        return {};
    }

    Status readPrompts()
    {
        if (!hasText()) {
            TRAINYARD_TRY(m_prompts, triedTokens(m_options));
            return {};
        }
        TRAINYARD_TRY(TextCodec codec, codecOf(m_options, m_stored));
        m_codec = std::make_unique<const TextCodec>(std::move(codec));
        TRAINYARD_TRY(m_text, triedText(m_options));
        return {};
    }

    Status load()
    {
        TRAINYARD_TRY(m_model, m_stored.load(*enumFromName<ComputeType>(m_options.precision)));
        return {};
    }

    /// The row of the text, or of each prompt, with room for it.
    Result<std::vector<EncodedRow>> rows() const
    {
        std::vector<EncodedRow> rows;
        for (const TokenIds& tokens : m_prompts)
            rows.push_back({tokens, tokens.size()});
        if (hasText()) {
            const auto a = idsOf(m_codec->align(m_text));
            const auto b = idsOf(m_codec->align(m_options.pair));
            TRAINYARD_TRY(const RowFrame frame, m_codec->frame());
            rows.push_back(encoded(m_options.pair.empty() ? textRow(frame, a) : pairRow(frame, a, b)));
        }
        TRAINYARD_TRY_STATUS(checkRows(rows));
        return rows;
    }

    Status checkRows(const std::vector<EncodedRow>& rows) const
    {
        std::vector<TokenIds> tokens;
        for (const EncodedRow& row : rows)
            tokens.push_back(row.tokens);
        return checkPrompts(m_stored.spec(), tokens);
    }

    Status judgeRows()
    {
        TRAINYARD_TRY(const auto given, rows());
        TRAINYARD_TRY_STATUS(load());
        switch (kind()) {
        case TaskKind::Classify:
            return classify(given);
        case TaskKind::Regress:
            return regress(given);
        default:
            return tagEveryToken(given);
        }
    }

    Status classify(const std::vector<EncodedRow>& given)
    {
        std::vector<std::vector<LabelProbability>> prompts;
        for (const EncodedRow& row : given) {
            TRAINYARD_TRY(auto labels, classifyRow(*m_model, row, count()));
            prompts.push_back(std::move(labels));
        }
        m_output.printLabels(prompts);
        return {};
    }

    Status regress(const std::vector<EncodedRow>& given)
    {
        std::vector<double> prompts;
        for (const EncodedRow& row : given) {
            TRAINYARD_TRY(const double value, valueOfRow(*m_model, row));
            prompts.push_back(value);
        }
        m_output.printValues(prompts);
        return {};
    }

    /// Without a text there are no words.
    Status tagEveryToken(const std::vector<EncodedRow>& given)
    {
        std::vector<std::vector<TaggedPart>> prompts;
        for (const EncodedRow& row : given) {
            std::vector<std::size_t> places(row.tokens.size());
            std::iota(places.begin(), places.end(), std::size_t(0));
            TRAINYARD_TRY(const auto labels, tagTokens(*m_model, row, places, count()));
            std::vector<TaggedPart>& parts = prompts.emplace_back();
            for (const std::size_t place : places)
                parts.push_back({{}, 0, 0, row.tokens[place], labels[place]});
        }
        m_output.printWords(prompts);
        return {};
    }

    Status tagText()
    {
        const auto words = wordsOf(m_text, *m_codec);
        if (words.empty())
            return badInput("the text has no word", "write one");
        std::vector<std::size_t> places;
        TRAINYARD_TRY(const EncodedRow row, rowOfWords(words, places));
        TRAINYARD_TRY_STATUS(checkRows({row}));
        TRAINYARD_TRY_STATUS(load());
        TRAINYARD_TRY(const auto labels, tagTokens(*m_model, row, places, count()));
        std::vector<TaggedPart> parts;
        for (std::size_t i = 0; i < words.size(); ++i)
            parts.push_back({partOf(m_text, words[i].begin, words[i].end),
                             charactersIn(std::string_view(m_text).substr(0, words[i].begin)),
                             charactersIn(std::string_view(m_text).substr(0, words[i].end)),
                             {},
                             labels[i]});
        m_output.printWords({parts});
        return {};
    }

    /// The row of the text's words, and the place of each one's first token, whose label is the word's, as in
    /// training.
    Result<EncodedRow> rowOfWords(const std::vector<TextWord>& words, std::vector<std::size_t>& places) const
    {
        TRAINYARD_TRY(const RowFrame frame, m_codec->frame());
        std::vector<std::int32_t> ids;
        for (const TextWord& word : words) {
            places.push_back(frame.before.size() + ids.size());
            const TokenIds pieces =
                m_codec->encodeWord(std::string_view(m_text).substr(word.begin, word.end - word.begin));
            ids.insert(ids.end(), pieces.begin(), pieces.end());
        }
        return encoded(textRow(frame, ids));
    }

    /// Tokens of a row: those that the model has positions for, and no more than it has learned from.
    std::size_t rowLength() const
    {
        return std::min(static_cast<std::size_t>(m_stored.spec().maxPositions), m_learned.length);
    }

    Status checkQuestion(const std::vector<std::int32_t>& asked, std::size_t special) const
    {
        const std::size_t room = rowLength() > special ? (rowLength() - special) / 2 : 0;
        const std::size_t most = std::min(kMaxQuestion, room);
        if (asked.empty())
            return badInput("the question has no tokens", "write one");
        if (asked.size() > most)
            return badInput(fmt::format("the question has {}, and there is room for {} before a text",
                                        counted(asked.size(), "token"), most),
                            "shorten it");
        return {};
    }

    Status answerQuestion()
    {
        TRAINYARD_TRY(const RowFrame frame, m_codec->frame());
        const auto asked = idsOf(m_codec->align(m_text));
        TRAINYARD_TRY_STATUS(checkQuestion(asked, frame.ofPair()));
        const auto context = m_codec->align(m_options.pair);
        if (context.empty())
            return badInput("the text of --pair has no word", "give the text that has the answer");
        TRAINYARD_TRY_STATUS(load());
        TRAINYARD_TRY(const auto spans, spansOf(frame, asked, context));
        if (spans.empty())
            return failed("the model finds no answer of a length that is searched for",
                          "it may not be trained yet: choose a later checkpoint");
        std::vector<AnswerPart> answers;
        for (const FoundSpan& span : spans)
            answers.push_back(answerOf(span));
        m_output.printAnswers({answers});
        return {};
    }

    /// A long context is cut into rows as in training; the best spans of all of them count.
    Result<std::vector<FoundSpan>> spansOf(const RowFrame& frame, const std::vector<std::int32_t>& asked,
                                           const std::vector<AlignedPiece>& context) const
    {
        std::vector<TaskRow> rows;
        std::vector<AnswerLogits> logits;
        const std::size_t room = rowLength() - frame.ofPair() - asked.size();
        for (const auto& [begin, end] : contextWindows(context.size(), room, m_learned.docStride)) {
            const auto part = std::span(context).subspan(begin, end - begin);
            const TaskRow& row = rows.emplace_back(answerRow(frame, asked, part));
            TRAINYARD_TRY(AnswerLogits ofRow, answerLogits(*m_model, encoded(row)));
            logits.push_back(std::move(ofRow));
        }
        std::vector<ScoredRow> scored;
        for (std::size_t i = 0; i < rows.size(); ++i)
            scored.push_back({logits[i].starts, logits[i].ends, rows[i].tokenBegins, rows[i].tokenEnds});
        SpanSearch search;
        search.best = std::max(search.best, count());
        search.allowsNoAnswer = m_options.noAnswer || m_learned.lackAnswers;
        auto spans = bestSpans(scored, search);
        spans.resize(std::min(spans.size(), count()));
        return spans;
    }

    AnswerPart answerOf(const FoundSpan& span) const
    {
        const std::string_view text = m_options.pair;
        if (!span.isAnswer)
            return {false, {}, 0, 0, span.score, span.probability};
        return {true,
                partOf(text, span.begin, span.end),
                charactersIn(text.substr(0, span.begin)),
                charactersIn(text.substr(0, span.end)),
                span.score,
                span.probability};
    }

    const TryOptions& m_options;
    StoredModel m_stored;
    LearnedRows m_learned;
    TaskOutput m_output;
    std::unique_ptr<const TextCodec> m_codec; ///< null for --token-ids
    std::string m_text;
    std::vector<TokenIds> m_prompts; ///< of --token-ids
    std::unique_ptr<LanguageModel> m_model;
};

} // namespace

Status tryTask(const TryOptions& options, StoredModel model, AnswerOutput& output)
{
    return TaskTrial(options, std::move(model), output).run();
}

} // namespace trainyard

#include "engine/worker/task_trial.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "datasets/metrics/span_search.h"
#include "datasets/shards/manifest.h"
#include "datasets/tasks/task_rows.h"
#include "engine/base/untrusted_text.h"
#include "engine/base/utf8.h"
#include "engine/generation/task_outputs.h"
#include "engine/nn/language_model.h"
#include "engine/spec/names.h"
#include "engine/worker/try_inputs.h"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

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

/// A word of a text and its first piece, whose label is the word's, as in training.
struct TextWord {
    std::size_t begin = 0; ///< byte of the text
    std::size_t end = 0;
    std::size_t piece = 0;
};

std::vector<TextWord> wordsOf(const std::vector<AlignedPiece>& pieces, const TextCodec& codec)
{
    std::vector<TextWord> words;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (i > 0 && codec.continuesWord(pieces[i].id))
            words.back().end = std::max(words.back().end, pieces[i].end);
        else
            words.push_back({pieces[i].begin, pieces[i].end, i});
    }
    return words;
}

class TaskTrial {
public:
    TaskTrial(const TryOptions& options, StoredModel model, AnswerOutput& output)
        : m_options(options), m_stored(std::move(model)), m_output(output), m_learned(learnedRows(m_stored))
    {
    }

    Status run()
    {
        TRAINYARD_TRY_STATUS(checkPair());
        if (hasText()) {
            TRAINYARD_TRY(TextCodec codec, codecOf(m_options, m_stored));
            m_codec = std::make_unique<const TextCodec>(std::move(codec));
            TRAINYARD_TRY(m_text, triedText(m_options));
        } else {
            TRAINYARD_TRY(m_prompts, triedTokens(m_options));
        }
        switch (kind()) {
        case TaskKind::Classify:
            return classify();
        case TaskKind::Regress:
            return regress();
        case TaskKind::Tag:
            return hasText() ? tagText() : tagPrompts();
        default:
            return answerQuestion();
        }
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
            return badInput("the model answers questions about a text, and there is none",
                            "give the text that has the answer with --pair");
        const bool takesPair = kind() != TaskKind::Tag && hasText();
        if (!m_options.pair.empty() && !takesPair)
            return badInput(hasText() ? "--pair has no meaning for a model that tags words"
                                      : "--pair cannot be combined with --token-ids",
                            "leave it out");
        return {};
    }

    Status load()
    {
        TRAINYARD_TRY(m_model, m_stored.load(*enumFromName<ComputeType>(m_options.precision)));
        return {};
    }

    /// The rows of the text, or of the prompts.
    std::vector<EncodedRow> rows() const
    {
        std::vector<EncodedRow> rows;
        for (const TokenIds& tokens : m_prompts)
            rows.push_back({tokens, tokens.size()});
        if (!hasText())
            return rows;
        const auto a = idsOf(m_codec->align(m_text));
        const auto b = idsOf(m_codec->align(m_options.pair));
        const SpecialTokens& special = m_codec->special();
        return {encoded(m_options.pair.empty() ? textRow(special, a) : pairRow(special, a, b))};
    }

    Status checkRows(const std::vector<EncodedRow>& rows) const
    {
        std::vector<TokenIds> prompts;
        for (const EncodedRow& row : rows)
            prompts.push_back(row.tokens);
        return checkPrompts(m_stored.spec(), prompts);
    }

    std::string nameOfLabel(std::size_t label) const
    {
        return label < m_learned.labels.size() ? sanitizeText(m_learned.labels[label])
                                               : fmt::format("LABEL_{}", label);
    }

    Json toJson(const std::vector<LabelProbability>& labels) const
    {
        Json list = Json::array();
        for (const auto& [label, probability] : labels)
            list.push_back(Json{{"label", nameOfLabel(label)}, {"id", label}, {"probability", probability}});
        return list;
    }

    void print(const char* key, Json value)
    {
        Json json = Json::object();
        json[key] = std::move(value);
        m_output.print(json.dump() + '\n');
    }

    Status classify()
    {
        const auto given = rows();
        TRAINYARD_TRY_STATUS(checkRows(given));
        TRAINYARD_TRY_STATUS(load());
        Json lists = Json::array();
        for (std::size_t i = 0; i < given.size(); ++i) {
            TRAINYARD_TRY(const auto labels, classifyRow(*m_model, given[i], count()));
            lists.push_back(toJson(labels));
            if (!m_options.json)
                printLabels(i, given.size(), labels);
        }
        if (m_options.json)
            print("labels", std::move(lists));
        return {};
    }

    void printLabels(std::size_t prompt, std::size_t prompts, const std::vector<LabelProbability>& labels)
    {
        if (prompts > 1)
            m_output.print(fmt::format("prompt {}\n", prompt + 1));
        for (const auto& [label, probability] : labels)
            m_output.print(fmt::format("{:6.2f} %  {}\n", 100 * probability, nameOfLabel(label)));
    }

    Status regress()
    {
        const auto given = rows();
        TRAINYARD_TRY_STATUS(checkRows(given));
        TRAINYARD_TRY_STATUS(load());
        Json values = Json::array();
        for (const EncodedRow& row : given) {
            TRAINYARD_TRY(const double value, valueOfRow(*m_model, row));
            values.push_back(value);
            if (!m_options.json)
                m_output.print(fmt::format("{:.6g}\n", value));
        }
        if (m_options.json)
            print("values", std::move(values));
        return {};
    }

    Status tagText()
    {
        const auto pieces = m_codec->align(m_text);
        const auto words = wordsOf(pieces, *m_codec);
        const auto given = rows();
        TRAINYARD_TRY_STATUS(checkRows(given));
        if (words.empty())
            return badInput("the text has no word", "write one");
        std::vector<std::size_t> tokens;
        for (const TextWord& word : words)
            tokens.push_back(1 + word.piece); // behind [CLS]
        TRAINYARD_TRY_STATUS(load());
        TRAINYARD_TRY(const auto labels, tagTokens(*m_model, given.front(), tokens, count()));
        Json list = Json::array();
        for (std::size_t i = 0; i < words.size(); ++i)
            list.push_back(wordJson(words[i], labels[i]));
        if (m_options.json)
            print("words", Json::array({std::move(list)}));
        else
            printWords(words, labels);
        return {};
    }

    std::string wordText(const TextWord& word) const
    {
        return sanitizeText(std::string_view(m_text).substr(word.begin, word.end - word.begin));
    }

    Json wordJson(const TextWord& word, const std::vector<LabelProbability>& labels) const
    {
        const std::string_view text = m_text;
        return {{"text", wordText(word)},
                {"begin", charactersIn(text.substr(0, word.begin))},
                {"end", charactersIn(text.substr(0, word.end))},
                {"labels", toJson(labels)}};
    }

    void printWords(const std::vector<TextWord>& words,
                    const std::vector<std::vector<LabelProbability>>& labels)
    {
        for (std::size_t i = 0; i < words.size(); ++i) {
            const auto& [label, probability] = labels[i].front();
            m_output.print(
                fmt::format("{}\t{}\t{:.2f} %\n", wordText(words[i]), nameOfLabel(label), 100 * probability));
        }
    }

    /// Every token of a prompt has a label: without a text there are no words.
    Status tagPrompts()
    {
        const auto given = rows();
        TRAINYARD_TRY_STATUS(checkRows(given));
        TRAINYARD_TRY_STATUS(load());
        Json lists = Json::array();
        for (const EncodedRow& row : given) {
            std::vector<std::size_t> tokens(row.tokens.size());
            std::iota(tokens.begin(), tokens.end(), std::size_t(0));
            TRAINYARD_TRY(const auto labels, tagTokens(*m_model, row, tokens, count()));
            Json list = Json::array();
            for (std::size_t i = 0; i < tokens.size(); ++i) {
                list.push_back(Json{{"token", row.tokens[i]}, {"labels", toJson(labels[i])}});
                if (!m_options.json)
                    m_output.print(fmt::format("{}\t{}\t{:.2f} %\n", row.tokens[i],
                                               nameOfLabel(labels[i].front().label),
                                               100 * labels[i].front().probability));
            }
            lists.push_back(std::move(list));
        }
        if (m_options.json)
            print("words", std::move(lists));
        return {};
    }

    /// Tokens of a row: those that the model has positions for, and no more than it has learned from.
    std::size_t rowLength() const
    {
        return std::min(static_cast<std::size_t>(m_stored.spec().maxPositions), m_learned.length);
    }

    Status checkQuestion(const std::vector<std::int32_t>& asked) const
    {
        const std::size_t room = rowLength() > kSpecialOfPair ? (rowLength() - kSpecialOfPair) / 2 : 0;
        const std::size_t most = std::min(kMaxQuestion, room);
        if (asked.empty())
            return badInput("the question has no tokens", "write one");
        if (asked.size() > most)
            return badInput(fmt::format("the question has {} tokens, and there is room for {} before a text",
                                        asked.size(), most),
                            "shorten it");
        return {};
    }

    Status answerQuestion()
    {
        const auto asked = idsOf(m_codec->align(m_text));
        TRAINYARD_TRY_STATUS(checkQuestion(asked));
        const auto context = m_codec->align(m_options.pair);
        if (context.empty())
            return badInput("the text of --pair has no word", "give the text that has the answer");
        TRAINYARD_TRY_STATUS(load());
        TRAINYARD_TRY(const auto spans, spansOf(asked, context));
        if (spans.empty())
            return failed("the model finds no answer of a length that is searched for",
                          "it may not be trained yet: choose a later checkpoint");
        if (m_options.json)
            print("answers", Json::array({answersJson(spans)}));
        else
            printAnswers(spans);
        return {};
    }

    /// A long context is cut into rows as in training; the best spans of all of them count.
    Result<std::vector<FoundSpan>> spansOf(const std::vector<std::int32_t>& asked,
                                            const std::vector<AlignedPiece>& context)
    {
        std::vector<TaskRow> rows;
        std::vector<AnswerLogits> logits;
        const std::size_t room = rowLength() - kSpecialOfPair - asked.size();
        for (const auto& [begin, end] : contextWindows(context.size(), room, m_learned.docStride)) {
            rows.push_back(
                answerRow(m_codec->special(), asked, std::span(context).subspan(begin, end - begin)));
            rows.back().tokenBegins.resize(rows.back().tokens.size(), -1);
            rows.back().tokenEnds.resize(rows.back().tokens.size(), -1);
            TRAINYARD_TRY(AnswerLogits ofRow, answerLogits(*m_model, encoded(rows.back())));
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

    std::string answerText(const FoundSpan& span) const
    {
        return sanitizeText(std::string_view(m_options.pair).substr(span.begin, span.end - span.begin),
                            Lines::Many);
    }

    Json answersJson(const std::vector<FoundSpan>& spans) const
    {
        const std::string_view text = m_options.pair;
        Json list = Json::array();
        for (const FoundSpan& span : spans) {
            Json answer{{"text", span.isAnswer ? answerText(span) : std::string()}};
            if (span.isAnswer) {
                answer["begin"] = charactersIn(text.substr(0, span.begin));
                answer["end"] = charactersIn(text.substr(0, span.end));
            }
            answer["score"] = span.score;
            answer["probability"] = span.probability;
            list.push_back(std::move(answer));
        }
        return list;
    }

    void printAnswers(const std::vector<FoundSpan>& spans)
    {
        for (const FoundSpan& span : spans)
            m_output.print(
                fmt::format("{:6.2f} %  {:8.3f}  {}\n", 100 * span.probability, span.score,
                            span.isAnswer ? sanitizeText(answerText(span)) : std::string("(no answer)")));
    }

    const TryOptions& m_options;
    StoredModel m_stored;
    AnswerOutput& m_output;
    LearnedRows m_learned;
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

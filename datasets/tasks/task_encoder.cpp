#include "datasets/tasks/task_encoder.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/check.h"
#include "engine/base/counted.h"
#include "engine/base/parsed_number.h"

namespace trainyard {

namespace {

/// Tokens first to last, both included.
struct TokenSpan {
    std::size_t begin = 0;
    std::size_t end = 0; ///< behind the last one

    bool isEmpty() const { return begin == end; }
};

/// The pieces of the context that the answer touches.
TokenSpan spanOf(const GivenAnswer& answer, const std::vector<AlignedPiece>& pieces)
{
    const std::size_t end = answer.begin + answer.text.size();
    const auto touches = [&](const AlignedPiece& piece) {
        return piece.end > answer.begin && piece.begin < end;
    };
    const auto first = std::ranges::find_if(pieces, touches);
    const auto behind = std::find_if_not(first, pieces.end(), touches);
    return {static_cast<std::size_t>(first - pieces.begin()),
            static_cast<std::size_t>(behind - pieces.begin())};
}

/// Cuts the longer side alone, or both to a half, as "longest_first" of Hugging Face's tokenizers does.
void cutPair(std::vector<std::int32_t>& a, std::vector<std::int32_t>& b, std::size_t most)
{
    if (a.size() + b.size() <= most)
        return;
    auto& shorter = a.size() > b.size() ? b : a;
    auto& longer = a.size() > b.size() ? a : b;
    const bool cutsBoth = 2 * shorter.size() > most;
    shorter.resize(cutsBoth ? most / 2 : shorter.size());
    longer.resize(most - shorter.size());
}

void append(std::vector<std::int32_t>& tokens, const std::vector<std::int32_t>& more)
{
    tokens.insert(tokens.end(), more.begin(), more.end());
}

template <typename Value>
void putRow(std::vector<Value>& column, std::size_t row, std::size_t width, const std::vector<Value>& values,
            Value padding)
{
    const auto begin = column.begin() + static_cast<std::ptrdiff_t>(row * width);
    std::fill(std::copy(values.begin(), values.end(), begin), begin + static_cast<std::ptrdiff_t>(width),
              padding);
}

void putTokens(const TaskRow& row, RowBlock& rows, std::size_t index)
{
    const auto length = static_cast<std::size_t>(rows.sequenceLength);
    putRow(rows.inputIds, index, length, row.tokens, 0);
    for (std::size_t i = 0; i < length; ++i) {
        rows.inputMask[index * length + i] = i < row.tokens.size();
        rows.segmentIds[index * length + i] = i >= row.firstSegment && i < row.tokens.size();
    }
}

} // namespace

void appendTaskRow(const TaskRow& row, RowBlock& rows)
{
    const auto length = static_cast<std::size_t>(rows.sequenceLength);
    const std::size_t index = rows.rows;
    TRAINYARD_CHECK(row.tokens.size() <= length);
    rows.resize(index + 1);
    putTokens(row, rows, index);
    switch (rows.task) {
    case TaskKind::Classify:
        rows.labels[index] = row.label;
        break;
    case TaskKind::Regress:
        rows.values[index] = row.value;
        break;
    case TaskKind::Tag:
    case TaskKind::Complete:
        putRow(rows.labels, index, length, row.tokenLabels, RowBlock::kNoLabel);
        break;
    case TaskKind::Answer:
        rows.startPositions[index] = row.start;
        rows.endPositions[index] = row.end;
        rows.questions[index] = row.question;
        putRow(rows.tokenBegins, index, length, row.tokenBegins, -1);
        putRow(rows.tokenEnds, index, length, row.tokenEnds, -1);
        break;
    case TaskKind::None:
        TRAINYARD_CHECK_MSG(false, "rows of no task");
    }
}

Result<TaskEncoder> TaskEncoder::create(const PrepareOptions& options, const RowTokenizer& tokenizer,
                                        const LabelNames& labels)
{
    const bool needsEnds = options.task.kind != TaskKind::Complete;
    if (needsEnds && !(tokenizer.frame && tokenizer.frame->hasEnds()))
        return badInput(
            fmt::format("--tokenizer {} does not say which tokens begin and end a row, as --task {} needs",
                        options.tokenizer.string(), nameOf(options.task.kind)),
            "use a tokenizer of an encoder: its post_processor says it (TemplateProcessing, "
            "RobertaProcessing "
            "or BertProcessing), or special_tokens_map.json with \"cls_token\" and \"sep_token\"");
    return TaskEncoder(options, tokenizer, labels);
}

TaskEncoder::TaskEncoder(const PrepareOptions& options, const RowTokenizer& tokenizer,
                         const LabelNames& labels)
    : m_options(options)
    , m_tokenizer(tokenizer)
    , m_labels(labels)
    , m_frame(tokenizer.frame.value_or(RowFrame()))
    , m_encoder(tokenizer.tokenizer->encoder())
{
}

Status TaskEncoder::encode(const TaskExamples& examples, const TaskExample& example, std::int64_t question,
                           std::vector<TaskRow>& rows)
{
    switch (m_options.task.kind) {
    case TaskKind::Tag:
        return addTaggedRow(examples, example, rows);
    case TaskKind::Complete:
        return addCompletion(examples, example, rows);
    case TaskKind::Answer:
        addAnswerRows(example, question, rows);
        return {};
    default:
        return addLabelledRow(examples, example, rows);
    }
}

/// Tokens of a row that are not special.
std::size_t TaskEncoder::room(std::size_t special) const
{
    return static_cast<std::size_t>(m_options.shapes.front().sequenceLength) - special;
}

std::vector<std::int32_t> TaskEncoder::idsOf(std::string_view text) const
{
    std::vector<std::int32_t> ids;
    m_encoder->encode(text, ids);
    return ids;
}

/// As Hugging Face's add_prefix_space does, which its examples set to tag words.
std::vector<std::int32_t> TaskEncoder::idsOfWord(const std::string& word) const
{
    return idsOf(m_tokenizer.bytes ? " " + word : word);
}

Result<std::int32_t> TaskEncoder::labelOf(const TaskExamples& examples, const TaskExample& example,
                                          const std::string& name, std::string_view column) const
{
    const std::int32_t number = m_labels.numberOf(name);
    if (number < 0)
        return examples.problemAt(example, column, fmt::format("unknown label \"{}\"", name),
                                  m_labels.listed() + "; correct it, or give all of them with --labels");
    return number;
}

TaskRow TaskEncoder::labelledRow(const TaskExample& example)
{
    std::vector<std::int32_t> a = idsOf(example.text);
    std::vector<std::int32_t> b = idsOf(example.pair);
    const bool isPair = !example.pair.empty();
    const std::size_t most = room(isPair ? m_frame.ofPair() : m_frame.ofText());
    m_counters["rows_cut"] += a.size() + b.size() > most;
    cutPair(a, b, most);
    return isPair ? pairRow(m_frame, a, b) : textRow(m_frame, a);
}

Status TaskEncoder::addLabelledRow(const TaskExamples& examples, const TaskExample& example,
                                   std::vector<TaskRow>& rows)
{
    TaskRow row = labelledRow(example);
    if (m_options.task.kind == TaskKind::Regress) {
        row.value = parsedNumber<double>(example.label).value_or(0);
    } else {
        TRAINYARD_TRY(row.label, labelOf(examples, example, example.label, examples.labelColumn));
    }
    rows.push_back(std::move(row));
    return {};
}

// A word without a piece, of characters that the tokenizer removes, is unknown: every word keeps its label,
// unless the tokenizer has no unknown token.
Status TaskEncoder::addTaggedRow(const TaskExamples& examples, const TaskExample& example,
                                 std::vector<TaskRow>& rows)
{
    std::vector<std::int32_t> tokens, labels;
    for (std::size_t word = 0; word < example.words.size(); ++word) {
        std::vector<std::int32_t> pieces = idsOfWord(example.words[word]);
        const std::int32_t unknown = m_tokenizer.vocabulary.special().unknown;
        if (pieces.empty() && unknown != SpecialTokens::kNone)
            pieces.push_back(unknown);
        TRAINYARD_TRY(const std::int32_t label,
                      labelOf(examples, example, example.tags[word],
                              fmt::format("of the tags, word {} \"{}\"", word + 1, example.words[word])));
        append(tokens, pieces);
        if (!pieces.empty())
            labels.push_back(label);
        labels.resize(tokens.size(), RowBlock::kNoLabel);
    }
    const std::size_t most = room(m_frame.ofText());
    m_counters["rows_cut"] += tokens.size() > most;
    tokens.resize(std::min(tokens.size(), most));
    labels.resize(tokens.size());
    TaskRow row = textRow(m_frame, tokens);
    row.tokenLabels.assign(m_frame.before.size(), RowBlock::kNoLabel);
    append(row.tokenLabels, labels);
    rows.push_back(std::move(row));
    return {};
}

Status TaskEncoder::addCompletion(const TaskExamples& examples, const TaskExample& example,
                                  std::vector<TaskRow>& rows)
{
    TaskRow row;
    if (m_frame.behind.empty())
        row.tokens = m_frame.before;
    append(row.tokens, idsOf(example.text));
    row.tokenLabels.assign(row.tokens.size(), RowBlock::kNoLabel);
    std::vector<std::int32_t> completion = idsOf(example.pair);
    if (const std::int32_t end = m_tokenizer.vocabulary.special().documentEnd; end != SpecialTokens::kNone)
        completion.push_back(end);
    append(row.tokens, completion);
    append(row.tokenLabels, completion);
    row.firstSegment = row.tokens.size();
    if (row.tokens.size() > room(0))
        return examples.problemAt(example, examples.labelColumn,
                                  fmt::format("prompt and completion have {}, and a row has {}",
                                              counted(row.tokens.size(), "token"), room(0)),
                                  "raise --seq-len, or shorten them");
    rows.push_back(std::move(row));
    return {};
}

void TaskEncoder::addAnswerRows(const TaskExample& example, std::int64_t question, std::vector<TaskRow>& rows)
{
    std::vector<std::int32_t> asked = idsOf(example.text);
    asked.resize(std::min(asked.size(), std::min(kMaxQuestion, room(m_frame.ofPair()) / 2)));
    std::vector<AlignedPiece> pieces;
    m_tokenizer.tokenizer->encodeAligned(example.pair, pieces);
    const TokenSpan answer = example.answers.empty() ? TokenSpan() : spanOf(example.answers.front(), pieces);
    m_counters["questions_without_answer"] += example.answers.empty();
    m_counters["answers_without_token"] += !example.answers.empty() && answer.isEmpty();
    const auto shared = static_cast<std::size_t>(m_options.task.docStride);
    for (const auto& [begin, end] :
         contextWindows(pieces.size(), room(m_frame.ofPair()) - asked.size(), shared)) {
        TaskRow row = answerRow(m_frame, asked, std::span(pieces).subspan(begin, end - begin));
        row.question = question;
        if (!answer.isEmpty() && answer.begin >= begin && answer.end <= end) {
            row.start = static_cast<std::int32_t>(row.secondText + answer.begin - begin);
            row.end = static_cast<std::int32_t>(row.secondText + answer.end - 1 - begin);
        }
        rows.push_back(std::move(row));
    }
}

} // namespace trainyard

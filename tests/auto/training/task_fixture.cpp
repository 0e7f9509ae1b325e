#include "tests/auto/training/task_fixture.h"

#include <algorithm>

#include <fmt/format.h>

#include "datasets/shards/shard_writer.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/spec/names.h"
#include "engine/training/data/permutation.h"
#include "engine/training/data/row_source.h"
#include "tests/auto/training/training_fixture.h"

namespace trainyard {

namespace {

constexpr int kFirstWord = 10;
constexpr int kAnswerMark = 90;
constexpr const char* kQuestionsName = "questions.jsonl";

/// One row; its draws depend on flavour and number alone.
class RowMaker {
public:
    RowMaker(RowBlock& rows, std::size_t row, std::uint64_t flavour)
        : m_rows(rows), m_row(row), m_key(mixKey(flavour, row)), m_length(8 + below(kTaskLength - 7))
    {
    }

    void make()
    {
        m_class = below(kTaskLabels);
        for (int i = 0; i < m_length; ++i) {
            m_rows.inputIds[at(i)] = wordAt(i);
            m_rows.inputMask[at(i)] = 1;
            m_rows.segmentIds[at(i)] = i >= kContext && m_rows.task != TaskKind::Complete;
        }
        label();
    }

private:
    static constexpr int kContext = 4; ///< tokens before it: [CLS], two of a question, [SEP]

    int below(int limit)
    {
        return static_cast<int>(mixKey(m_key, ++m_draws) % static_cast<std::uint64_t>(limit));
    }
    std::size_t at(int token) const
    {
        return m_row * static_cast<std::size_t>(kTaskLength) + static_cast<std::size_t>(token);
    }
    /// Most words of a class come from its own third.
    int wordAt(int token)
    {
        if (token == 0 && m_rows.task != TaskKind::Complete)
            return 2;
        return kFirstWord + 26 * (below(4) == 0 ? below(kTaskLabels) : m_class) + below(26);
    }

    void label()
    {
        switch (m_rows.task) {
        case TaskKind::Classify:
            m_rows.labels[m_row] = m_class;
            break;
        case TaskKind::Regress:
            m_rows.values[m_row] = m_class + 0.25 * below(4);
            break;
        case TaskKind::Tag:
            return labelWords();
        case TaskKind::Complete:
            return repeatPrompt();
        default:
            return markAnswer();
        }
    }
    /// Every second token is the first one of a word.
    void labelWords()
    {
        for (int i = 0; i < kTaskLength; ++i)
            m_rows.labels[at(i)] = i > 0 && i < m_length && i % 2 == 1
                                       ? (m_rows.inputIds[at(i)] - kFirstWord) / 26 % kTaskLabels
                                       : RowBlock::kNoLabel;
    }
    void repeatPrompt()
    {
        const int prompt = m_length / 2;
        for (int i = 0; i < kTaskLength; ++i) {
            const bool completes = i >= prompt && i < m_length;
            if (completes)
                m_rows.inputIds[at(i)] = m_rows.inputIds[at(i - prompt)];
            m_rows.labels[at(i)] = completes ? m_rows.inputIds[at(i)] : RowBlock::kNoLabel;
        }
    }
    void markAnswer()
    {
        const int context = m_length - kContext - 1; // [SEP] behind it
        for (int i = 0; i < kTaskLength; ++i) {
            const bool isContext = i >= kContext && i < m_length - 1;
            m_rows.tokenBegins[at(i)] = isContext ? 3 * (i - kContext) : -1;
            m_rows.tokenEnds[at(i)] = isContext ? 3 * (i - kContext) + 2 : -1;
        }
        m_rows.questions[m_row] = static_cast<std::int64_t>(m_row < 2 ? m_row : m_row - 1);
        const bool hasAnswer = m_row % 4 != 0;
        const int first = kContext + (hasAnswer ? below(context) : 0);
        const int last = std::min(first + below(3), m_length - 2);
        m_rows.startPositions[m_row] = hasAnswer ? first : 0;
        m_rows.endPositions[m_row] = hasAnswer ? last : 0;
        if (hasAnswer)
            m_rows.inputIds[at(first - 1)] = kAnswerMark;
    }

    RowBlock& m_rows;
    const std::size_t m_row;
    const std::uint64_t m_key;
    std::uint64_t m_draws = 0;
    const int m_length;
    int m_class = 0;
};

RowBlock partOf(const RowBlock& rows, std::size_t first, std::size_t count)
{
    RowBlock part(rows.sequenceLength, rows.task);
    for (std::size_t row = first; row < first + count; ++row)
        appendRow(part, {&rows, row});
    return part;
}

Status addShard(const std::filesystem::path& folder, const RowBlock& rows, bool training, Manifest& manifest)
{
    if (rows.rows == 0)
        return {};
    const auto number = std::ranges::count(manifest.shards, training, &ShardEntry::training);
    const auto file = folder / fmt::format("task_{}_{}.hdf5", training ? "training" : "test", number);
    TRAINYARD_TRY(ShardWriter writer,
                  ShardWriter::create(
                      file, {.rows = rows.rows, .sequenceLength = rows.sequenceLength, .task = rows.task}));
    for (std::size_t first = 0; first < rows.rows; first += ShardWriter::kRowsPerChunk)
        TRAINYARD_TRY_STATUS(
            writer.append(partOf(rows, first, std::min(rows.rows - first, ShardWriter::kRowsPerChunk))));
    TRAINYARD_TRY_STATUS(writer.close());
    TRAINYARD_TRY(std::string hash, sha256OfFile(file));
    manifest.shards.push_back({file.filename().string(), rows.rows, std::move(hash), training});
    return {};
}

Manifest manifestOf(const RowBlock& rows, int vocabulary, int labels)
{
    Manifest manifest;
    manifest.toolVersion = "test";
    manifest.sequenceLength = rows.sequenceLength;
    manifest.vocabularySize = vocabulary;
    manifest.vocabularyFile = "vocab.txt";
    manifest.vocabularySha256 = sha256Hex("");
    manifest.settings.objective = nameOf(rows.task);
    const std::vector<std::string> names{"O", "B-X", "I-X"};
    for (int label = 0; label < labels; ++label)
        manifest.task.labels.push_back(labels == kTaskLabels ? names[std::size_t(label)]
                                                             : fmt::format("label {}", label));
    if (rows.task == TaskKind::Answer)
        manifest.task.questionsFile = kQuestionsName;
    return manifest;
}

/// The context has two letters for every token: "aa ab ac".
std::string contextText()
{
    std::string text;
    for (int token = 0; token < kTaskLength; ++token)
        text += fmt::format("a{} ", char('a' + token));
    return text;
}

Status writeQuestionFile(const std::filesystem::path& file, const RowBlock& rows)
{
    const std::string context = contextText();
    std::vector<std::string> answers(rows.rows);
    for (std::size_t row = 0; row < rows.rows; ++row) {
        const std::size_t base = row * std::size_t(kTaskLength);
        const auto first = std::size_t(rows.startPositions[row]);
        const auto last = std::size_t(rows.endPositions[row]);
        if (first == 0)
            continue;
        const auto begin = std::size_t(rows.tokenBegins[base + first]);
        answers[std::size_t(rows.questions[row])] =
            context.substr(begin, std::size_t(rows.tokenEnds[base + last]) - begin);
    }
    std::string lines;
    for (const std::string& answer : answers)
        lines += fmt::format("{{\"context\": \"{}\", \"answers\": [{}]}}\n", context,
                             answer.empty() ? answer : '"' + answer + '"');
    return writeFileAtomically(file, lines);
}

} // namespace

RowBlock taskRows(TaskKind task, std::size_t count, std::uint64_t flavour)
{
    RowBlock rows(kTaskLength, task);
    rows.resize(count);
    for (std::size_t row = 0; row < count; ++row)
        RowMaker(rows, row, flavour).make();
    return rows;
}

Status writeTaskDataset(const std::filesystem::path& folder, TaskKind task, const TaskDataShape& shape)
{
    TRAINYARD_TRY_STATUS(makeFolder(folder));
    const bool hasLabels = TaskSpec{.kind = task}.hasLabels();
    const RowBlock training = taskRows(task, shape.rows, shape.flavour);
    const RowBlock test = taskRows(task, shape.testRows, shape.flavour + 1);
    Manifest manifest = manifestOf(training, DatasetShape{}.vocabulary, hasLabels ? kTaskLabels : 0);
    for (const auto& [rows, isTraining] : {std::pair{&training, true}, std::pair{&test, false}}) {
        const std::size_t larger = (rows->rows * 2 + 2) / 3;
        TRAINYARD_TRY_STATUS(addShard(folder, partOf(*rows, 0, larger), isTraining, manifest));
        TRAINYARD_TRY_STATUS(
            addShard(folder, partOf(*rows, larger, rows->rows - larger), isTraining, manifest));
    }
    if (task == TaskKind::Answer)
        TRAINYARD_TRY_STATUS(writeQuestionFile(folder / kQuestionsName, test));
    return writeFileAtomically(folder / Manifest::kFileName, manifest.toJson());
}

Status writeTaskRows(const std::filesystem::path& folder, const RowBlock& rows, int vocabulary, int labels,
                     bool training)
{
    TRAINYARD_TRY_STATUS(makeFolder(folder));
    Manifest manifest = manifestOf(rows, vocabulary, labels);
    TRAINYARD_TRY_STATUS(addShard(folder, rows, training, manifest));
    return writeFileAtomically(folder / Manifest::kFileName, manifest.toJson());
}

RunSpec taskSpec(const std::filesystem::path& dataset, TaskKind task)
{
    RunSpec spec = tinySpec(dataset, 1, ComputeType::Float64);
    if (task == TaskKind::Complete)
        spec.model.setFamily(ModelFamily::Gpt);
    spec.model.task = {.kind = task, .labels = kTaskLabels};
    spec.evaluation = {.everySteps = 3, .batches = 100};
    return spec;
}

} // namespace trainyard

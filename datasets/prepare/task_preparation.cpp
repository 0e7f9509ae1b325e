#include "datasets/prepare/task_preparation.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "datasets/prepare/output_place.h"
#include "datasets/prepare/row_tokenizer_choice.h"
#include "datasets/prepare/shard_plan.h"
#include "datasets/prepare/staged_folder.h"
#include "datasets/pretraining/row_statistics.h"
#include "datasets/shards/shard_writer.h"
#include "datasets/tasks/task_encoder.h"
#include "datasets/tasks/task_files.h"
#include "datasets/tokenizer/unicode_tables.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr const char* kQuestionsFile = "questions.jsonl";

std::vector<std::string> fileNames(const std::vector<fs::path>& files)
{
    std::vector<std::string> names;
    for (const fs::path& file : files)
        names.push_back(file.filename());
    return names;
}

std::string questionLine(const TaskExample& question)
{
    nlohmann::ordered_json json{{"id", question.id}, {"context", question.pair}, {"question", question.text}};
    json["answers"] = nlohmann::ordered_json::array();
    for (const GivenAnswer& answer : question.answers)
        json["answers"].push_back(answer.text);
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

/// The data set being created.
class TaskDataset {
public:
    /// `encoder`: of the same tokenizer and labels.
    TaskDataset(const PrepareOptions& options, const RowTokenizer& tokenizer, const SplitExamples& examples,
                const LabelNames& labels, TaskEncoder encoder, Progress& progress, const CancelFlag& cancel)
        : m_options(options)
        , m_tokenizer(tokenizer)
        , m_examples(examples)
        , m_labels(labels)
        , m_encoder(std::move(encoder))
        , m_progress(progress)
        , m_cancel(cancel)
    {
    }

    Result<Manifest> write(const fs::path& folder)
    {
        m_progress.start(Stage::Instances, // its documents are the examples
                         m_examples.training.examples.size() + m_examples.heldOut.examples.size());
        TRAINYARD_TRY(const std::vector<TaskRow> training, encode(m_examples.training));
        TRAINYARD_TRY(const std::vector<TaskRow> heldOut, encode(m_examples.heldOut));
        m_progress.finish(Stage::Instances);
        m_progress.start(Stage::Shards, training.size() + heldOut.size());
        Manifest manifest = describe();
        TRAINYARD_TRY_STATUS(writeSide(folder, training, true, manifest));
        TRAINYARD_TRY_STATUS(writeSide(folder, heldOut, false, manifest));
        m_progress.finish(Stage::Shards);
        manifest.counters = m_encoder.counters();
        manifest.statistics.tokens = manifest.statistics.rowTokens;
        if (m_options.task.kind == TaskKind::Answer)
            TRAINYARD_TRY_STATUS(writeQuestions(folder, manifest.task));
        TRAINYARD_TRY_STATUS(writeTokenizer(folder));
        TRAINYARD_TRY_STATUS(writeFileAtomically(folder / Manifest::kFileName, manifest.toJson()));
        return manifest;
    }

private:
    Result<std::vector<TaskRow>> encode(const TaskExamples& examples)
    {
        std::vector<TaskRow> rows;
        std::int64_t number = 0;
        for (const TaskExample& example : examples.examples) {
            TRAINYARD_TRY_STATUS(m_cancel.check());
            TRAINYARD_TRY_STATUS(m_encoder.encode(examples, example, number++, rows));
            m_progress.advance(Stage::Instances, 1);
        }
        return rows;
    }

    Status writeTokenizer(const fs::path& folder) const
    {
        for (const auto& [name, content] : m_tokenizer.smallFiles)
            TRAINYARD_TRY_STATUS(writeFileAtomically(folder / name, content));
        return writeFileAtomically(folder / m_tokenizer.fileName, m_tokenizer.vocabulary.text());
    }

    Manifest describe() const
    {
        Manifest manifest;
        manifest.toolVersion = TRAINYARD_VERSION;
        manifest.sequenceLength = m_options.shapes.front().sequenceLength;
        manifest.vocabularySize = static_cast<int>(m_tokenizer.vocabulary.size());
        manifest.vocabularyFile = m_tokenizer.fileName;
        manifest.vocabularySha256 = m_tokenizer.vocabulary.sha256();
        manifest.tokenizer = descriptionOf(m_tokenizer);
        manifest.seed = m_options.instances.seed;
        manifest.settings.corpus = m_options.corpus;
        manifest.settings.dumps = fileNames(m_examples.training.files);
        manifest.settings.cased = m_tokenizer.isCased;
        manifest.settings.tokenizerProfile = unicodeTables(m_options.profile)->profile;
        manifest.settings.format = "examples";
        manifest.settings.objective = nameOf(m_options.task.kind);
        manifest.settings.nextSentence = "none";
        manifest.settings.dupeFactor = 1;
        manifest.task.labels = m_labels.names();
        const bool fromFiles = m_examples.heldOut.files != m_examples.training.files;
        manifest.settings.testFraction = fromFiles ? 0 : m_options.testFraction;
        if (fromFiles)
            manifest.task.heldOut = fileNames(m_examples.heldOut.files);
        if (m_options.task.kind == TaskKind::Answer) {
            manifest.task.docStride = m_options.task.docStride;
            manifest.task.questionsFile = kQuestionsFile;
        }
        manifest.statistics.testDocuments = m_examples.heldOut.examples.size();
        manifest.statistics.documents =
            m_examples.training.examples.size() + manifest.statistics.testDocuments;
        return manifest;
    }

    /// No more shards than rows: small files are usual here.
    Status writeSide(const fs::path& folder, const std::vector<TaskRow>& rows, bool training,
                     Manifest& manifest)
    {
        if (rows.empty())
            return {};
        const int wanted = training ? m_options.trainingShards : m_options.testShards;
        const int shards =
            static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(wanted), rows.size()));
        TRAINYARD_TRY(const auto plan, planShards(m_options.corpus, training, rows.size(), shards));
        for (const PlannedShard& shard : plan) {
            const fs::path file = folder / shard.file;
            TRAINYARD_TRY_STATUS(
                writeShard(file, std::span(rows).subspan(shard.firstRow, shard.rows), manifest));
            TRAINYARD_TRY(std::string digest, sha256OfFile(file));
            manifest.shards.push_back({shard.file, shard.rows, std::move(digest), training});
        }
        return {};
    }

    Status writeShard(const fs::path& file, std::span<const TaskRow> rows, Manifest& manifest)
    {
        const int length = manifest.sequenceLength;
        RowBlock block(length, m_options.task.kind);
        TRAINYARD_TRY(ShardWriter writer, ShardWriter::create(file, {.rows = rows.size(),
                                                                     .sequenceLength = length,
                                                                     .task = m_options.task.kind}));
        for (std::size_t i = 0; i < rows.size(); ++i) {
            appendTaskRow(rows[i], block);
            Instance counted;
            counted.tokens = rows[i].tokens;
            addRow(manifest.statistics, counted, length, m_tokenizer.vocabulary.special().mask);
            if (block.rows < ShardWriter::kRowsPerChunk && i + 1 < rows.size())
                continue;
            TRAINYARD_TRY_STATUS(m_cancel.check());
            TRAINYARD_TRY_STATUS(writer.append(block));
            m_progress.advance(Stage::Shards, block.rows);
            block.clear();
        }
        return writer.close();
    }

    Status writeQuestions(const fs::path& folder, TaskDescription& task) const
    {
        std::string lines;
        for (const TaskExample& question : m_examples.heldOut.examples)
            lines += questionLine(question);
        task.questionsSha256 = sha256Hex(lines);
        return writeFileAtomically(folder / kQuestionsFile, lines);
    }

    const PrepareOptions& m_options;
    const RowTokenizer& m_tokenizer;
    const SplitExamples& m_examples;
    const LabelNames& m_labels;
    TaskEncoder m_encoder;
    Progress& m_progress;
    const CancelFlag& m_cancel;
};

void warnAboutTests(const SplitExamples& examples, Progress& progress)
{
    if (examples.heldOut.examples.empty())
        progress.warn("no-test-rows", "no test shards: no example is held out, and no run can be evaluated");
}

} // namespace

Result<PreparedDataset> prepareTaskDataset(const PrepareOptions& options, Progress& progress,
                                           const CancelFlag& cancel)
{
    TRAINYARD_TRY_STATUS(checkFree(options.out));
    TRAINYARD_TRY(const RowTokenizer tokenizer, loadTokenizerFor(options));
    TRAINYARD_TRY(const SplitExamples examples, readTaskFiles(options));
    TRAINYARD_TRY(const LabelNames labels, LabelNames::create(examples.training, options.task));
    TRAINYARD_TRY(TaskEncoder encoder, TaskEncoder::create(options, tokenizer, labels));
    warnAboutTests(examples, progress);
    auto folder = StagedFolder::create(options.out);
    if (!folder.ok())
        return folder.error().in("--out");
    TaskDataset dataset(options, tokenizer, examples, labels, std::move(encoder), progress, cancel);
    TRAINYARD_TRY(Manifest manifest, dataset.write(folder->content()));
    TRAINYARD_TRY_STATUS(folder->publish());
    return PreparedDataset{options.out, std::move(manifest)};
}

} // namespace trainyard

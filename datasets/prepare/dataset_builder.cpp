#include "datasets/prepare/dataset_builder.h"

#include <algorithm>
#include <atomic>
#include <chrono>

#include <fmt/format.h>

#include "datasets/prepare/parallel_tasks.h"
#include "datasets/prepare/resume_notes.h"
#include "datasets/prepare/row_statistics.h"
#include "datasets/pretraining/counter_random.h"
#include "datasets/pretraining/instance_builder.h"
#include "datasets/pretraining/instance_rows.h"
#include "datasets/pretraining/token_rows.h"
#include "datasets/shards/shard_writer.h"
#include "engine/base/hash.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

/// A file of which no note speaks is of no use.
Status removeUnnoted(const fs::path& file)
{
    std::error_code error;
    fs::remove(file, error);
    if (error)
        return failed("cannot remove " + file.string() + ": " + error.message(), "remove it by hand");
    return {};
}

} // namespace

DatasetBuilder::DatasetBuilder(const PrepareOptions& options, const InstanceSettings& settings,
                               const DocumentStore& documents, const Vocabulary& vocabulary,
                               fs::path workFolder, Progress& progress, const CancelFlag& cancel)
    : m_options(options)
    , m_settings(settings)
    , m_documents(documents)
    , m_vocabulary(vocabulary)
    , m_workFolder(std::move(workFolder))
    , m_progress(progress)
    , m_cancel(cancel)
{
}

Status DatasetBuilder::build(const fs::path& folder, const DocumentSplit& split, Manifest& manifest)
{
    manifest.statistics.documents = m_documents.size();
    manifest.statistics.testDocuments = split.test.size();
    manifest.statistics.sentences = m_documents.sentences();
    manifest.statistics.tokens = m_documents.tokens();

    const Kind training{true, split.training, m_options.trainingShards};
    const Kind test{false, split.test, m_options.testShards};
    if (m_options.extra.provenance)
        manifest.counters["repeated_page_ids"] = repeatedPageIds();
    return m_settings.objective == Objective::Tokens ? writeRunningText(folder, training, test, manifest)
                                                     : writeShuffled(folder, training, test, manifest);
}

Status DatasetBuilder::writeShuffled(const fs::path& folder, const Kind& training, const Kind& test,
                                     Manifest& manifest)
{
    // All instances before the first shard, so that too many shards are refused early.
    TRAINYARD_TRY(const Instances trainingRows, buildInstances(training));
    TRAINYARD_TRY(const Instances testRows, buildInstances(test));
    manifest.counters["sentences_without_partner"] = trainingRows.dropped + testRows.dropped;
    const auto rowsOf = [](const InstanceSpill& spill) {
        return Rows{spill.size(), [&spill](std::uint64_t first, std::uint64_t count, const Rows::Take& take) {
                        return spill.visit(first, count, take);
                    }};
    };
    return writeBoth(folder, training, rowsOf(trainingRows.spill), test, rowsOf(testRows.spill), manifest);
}

/// A row of running text is an instance that has neither a second side nor masks.
Status DatasetBuilder::writeRunningText(const fs::path& folder, const Kind& training, const Kind& test,
                                        Manifest& manifest)
{
    const auto passes = static_cast<std::uint32_t>(m_options.dupeFactor);
    const std::int32_t separator = m_vocabulary.special().separator;
    const TokenRows trainingText(m_settings, m_documents, training.ordinals, passes, separator);
    const TokenRows testText(m_settings, m_documents, test.ordinals, passes, separator);
    manifest.counters["tokens_after_the_last_row"] = trainingText.droppedTokens() + testText.droppedTokens();
    m_progress.advance(Stage::Instances, std::uint64_t{m_documents.size()} * passes); // nothing to build
    const auto rowsOf = [](const TokenRows& text) {
        const auto visit = [&text](std::uint64_t first, std::uint64_t count, const Rows::Take& take) {
            Instance row;
            return text.visit(first, count, [&](std::span<const std::int32_t> tokens) {
                row.tokens.assign(tokens.begin(), tokens.end());
                row.firstSegment = static_cast<std::uint32_t>(tokens.size());
                return take(row);
            });
        };
        return Rows{text.rows(), visit};
    };
    return writeBoth(folder, training, rowsOf(trainingText), test, rowsOf(testText), manifest);
}

Status DatasetBuilder::writeBoth(const fs::path& folder, const Kind& training, const Rows& trainingRows,
                                 const Kind& test, const Rows& testRows, Manifest& manifest)
{
    m_progress.extend(Stage::Shards, trainingRows.count + testRows.count);
    TRAINYARD_TRY_STATUS(writeShards(folder, training, trainingRows, manifest));
    if (testRows.count > 0)
        TRAINYARD_TRY_STATUS(writeShards(folder, test, testRows, manifest));
    return {};
}

/// Documents whose id another one has too; several wikis in one data set may share some.
std::uint64_t DatasetBuilder::repeatedPageIds() const
{
    std::vector<std::uint64_t> ids(m_documents.size());
    for (std::uint32_t ordinal = 0; ordinal < m_documents.size(); ++ordinal)
        ids[ordinal] = m_documents.pageId(ordinal);
    std::sort(ids.begin(), ids.end());
    return static_cast<std::uint64_t>(ids.end() - std::unique(ids.begin(), ids.end()));
}

Result<DatasetBuilder::Instances> DatasetBuilder::openInstances(const Kind& kind, std::uint64_t& documents)
{
    const auto passes = static_cast<std::uint64_t>(m_options.dupeFactor);
    const fs::path file = m_workFolder / fmt::format("{}.instances", kind.name());
    const auto shape = InstanceSpill::shapeFor(m_documents.tokens() * passes * sizeof(std::uint16_t),
                                               m_options.memoryBytes, m_vocabulary.size() <= UINT16_MAX + 1u);
    TRAINYARD_TRY(const auto note, InstancesNote::load(m_workFolder / fmt::format("{}.json", kind.name())));
    documents = note ? note->documents : 0;
    m_progress.skip(Stage::Instances, documents * passes);
    if (note) {
        TRAINYARD_TRY(InstanceSpill spill, InstanceSpill::resume(file, shape, note->spillBytes));
        return Instances{std::move(spill), note->dropped};
    }
    TRAINYARD_TRY_STATUS(removeUnnoted(file));
    TRAINYARD_TRY(InstanceSpill spill, InstanceSpill::create(file, shape));
    return Instances{std::move(spill), 0};
}

Result<DatasetBuilder::Instances> DatasetBuilder::buildInstances(const Kind& kind)
{
    using Clock = std::chrono::steady_clock;
    std::uint64_t next = 0;
    TRAINYARD_TRY(Instances instances, openInstances(kind, next));
    const InstanceBuilder builder(m_settings, m_documents, kind.ordinals, m_vocabulary);
    std::atomic<std::uint64_t> dropped{instances.dropped};
    while (next < kind.ordinals.size()) {
        const Clock::time_point save = Clock::now() + m_options.saveEvery;
        TRAINYARD_TRY(next, runTasksUntil(
                                m_options.threads, next, kind.ordinals.size(),
                                [&](std::size_t place) -> Status {
                                    TRAINYARD_TRY(const std::uint64_t lost,
                                                  buildDocument(kind, builder, place, instances.spill));
                                    dropped += lost;
                                    return {};
                                },
                                [&] { return Clock::now() >= save; }));
        TRAINYARD_TRY(const std::uint64_t bytes, instances.spill.commit());
        TRAINYARD_TRY_STATUS(
            InstancesNote({next, bytes, dropped}).save(m_workFolder / fmt::format("{}.json", kind.name())));
    }
    instances.dropped = dropped;
    TRAINYARD_TRY_STATUS(instances.spill.seal());
    return instances;
}

/// Returns the chunks that gave no row.
Result<std::uint64_t> DatasetBuilder::buildDocument(const Kind& kind, const InstanceBuilder& builder,
                                                    std::size_t place, InstanceSpill& spill)
{
    Status status;
    std::uint64_t dropped = 0;
    const std::uint32_t ordinal = kind.ordinals[place];
    for (std::uint32_t pass = 0; pass < static_cast<std::uint32_t>(m_options.dupeFactor); ++pass) {
        TRAINYARD_TRY_STATUS(m_cancel.check());
        dropped += builder.build(place, pass, [&](Instance&& instance, std::uint32_t number) {
            CounterRandom order(m_settings.seed, RandomStream::Order, ordinal, pass, number);
            if (status.ok())
                status = spill.add({order.doubleWord(), ordinal, pass, number}, instance);
        });
        TRAINYARD_TRY_STATUS(status);
        m_progress.advance(Stage::Instances, 1);
    }
    return dropped;
}

Status DatasetBuilder::writeShards(const fs::path& folder, const Kind& kind, const Rows& rows,
                                   Manifest& manifest)
{
    TRAINYARD_TRY(const auto plan, planShards(m_options.corpus, kind.training, rows.count, kind.shards));
    const Manifest described = manifest;
    std::vector<Manifest> shards(plan.size());
    TRAINYARD_TRY_STATUS(runTasks(m_options.threads, plan.size(), [&](std::size_t i) -> Status {
        TRAINYARD_TRY(shards[i], shardOf(folder, rows, plan[i], described));
        return {};
    }));
    for (const Manifest& shard : shards) {
        manifest.shards.push_back(shard.shards.front());
        addRows(manifest.statistics, shard.statistics);
    }
    return {};
}

/// The note of a finished shard is a manifest of that shard alone.
Result<Manifest> DatasetBuilder::shardOf(const fs::path& folder, const Rows& rows, const PlannedShard& shard,
                                         const Manifest& described)
{
    const fs::path note = m_workFolder / (shard.file + ".json");
    std::error_code ignored;
    if (fs::exists(note, ignored)) {
        m_progress.skip(Stage::Shards, shard.rows);
        return Manifest::loadFile(note);
    }
    const fs::path file = folder / shard.file;
    TRAINYARD_TRY_STATUS(removeUnnoted(file));
    Manifest manifest = described;
    TRAINYARD_TRY(manifest.statistics, writeShard(file, rows, shard));
    TRAINYARD_TRY(std::string digest, sha256OfFile(file));
    manifest.shards = {{shard.file, shard.rows, std::move(digest), shard.training}};
    TRAINYARD_TRY_STATUS(syncPath(file));
    TRAINYARD_TRY_STATUS(writeFileAtomically(note, manifest.toJson()));
    return manifest;
}

Result<DatasetStatistics> DatasetBuilder::writeShard(const fs::path& file, const Rows& rows,
                                                     const PlannedShard& shard)
{
    const bool provenance = m_options.extra.provenance;
    DatasetStatistics statistics;
    RowBlock block(m_settings.sequenceLength, m_settings.maxPredictions, provenance);
    TRAINYARD_TRY(ShardWriter writer, ShardWriter::create(file, {shard.rows, m_settings.sequenceLength,
                                                                 m_settings.maxPredictions, provenance}));
    const auto flush = [&]() -> Status {
        TRAINYARD_TRY_STATUS(m_cancel.check());
        TRAINYARD_TRY_STATUS(writer.append(block));
        m_progress.advance(Stage::Shards, block.rows);
        block.clear();
        return {};
    };
    TRAINYARD_TRY_STATUS(rows.visit(shard.firstRow, shard.rows, [&](const Instance& row) -> Status {
        appendRow(row, block);
        if (provenance)
            addOrigin(row, block);
        addRow(statistics, row, m_settings.sequenceLength, m_vocabulary.special().mask);
        if (block.rows == ShardWriter::kRowsPerChunk)
            return flush();
        return {};
    }));
    if (block.rows > 0)
        TRAINYARD_TRY_STATUS(flush());
    TRAINYARD_TRY_STATUS(writer.close());
    return statistics;
}

/// Fills in the last row's.
void DatasetBuilder::addOrigin(const Instance& instance, RowBlock& rows) const
{
    rows.documentA.back() = static_cast<std::int64_t>(m_documents.pageId(instance.a.document));
    rows.documentB.back() = static_cast<std::int64_t>(m_documents.pageId(instance.b.document));
    rows.sentenceA.back() = instance.a.sentence;
    rows.sentenceB.back() = instance.b.sentence;
}

} // namespace trainyard

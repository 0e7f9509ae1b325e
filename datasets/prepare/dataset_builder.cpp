#include "datasets/prepare/dataset_builder.h"

#include <atomic>
#include <chrono>

#include <fmt/format.h>

#include "datasets/prepare/parallel_tasks.h"
#include "datasets/prepare/resume_notes.h"
#include "datasets/prepare/row_statistics.h"
#include "datasets/pretraining/counter_random.h"
#include "datasets/pretraining/instance_builder.h"
#include "datasets/pretraining/instance_rows.h"
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
    // All instances before the first shard, so that too many shards are refused early.
    TRAINYARD_TRY(const Instances trainingRows, buildInstances(training));
    TRAINYARD_TRY(const Instances testRows, buildInstances(test));
    manifest.counters["sentences_without_partner"] = trainingRows.dropped + testRows.dropped;
    m_progress.extend(Stage::Shards, trainingRows.spill.size() + testRows.spill.size());
    TRAINYARD_TRY_STATUS(writeShards(folder, training, trainingRows.spill, manifest));
    if (testRows.spill.size() > 0)
        TRAINYARD_TRY_STATUS(writeShards(folder, test, testRows.spill, manifest));
    return {};
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

Status DatasetBuilder::writeShards(const fs::path& folder, const Kind& kind, const InstanceSpill& instances,
                                   Manifest& manifest)
{
    TRAINYARD_TRY(const auto plan,
                  planShards(m_options.corpus, kind.training, instances.size(), kind.shards));
    const Manifest described = manifest;
    std::vector<Manifest> shards(plan.size());
    TRAINYARD_TRY_STATUS(runTasks(m_options.threads, plan.size(), [&](std::size_t i) -> Status {
        TRAINYARD_TRY(shards[i], shardOf(folder, instances, plan[i], described));
        return {};
    }));
    for (const Manifest& shard : shards) {
        manifest.shards.push_back(shard.shards.front());
        addRows(manifest.statistics, shard.statistics);
    }
    return {};
}

/// The note of a finished shard is a manifest of that shard alone.
Result<Manifest> DatasetBuilder::shardOf(const fs::path& folder, const InstanceSpill& instances,
                                         const PlannedShard& shard, const Manifest& described)
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
    TRAINYARD_TRY(manifest.statistics, writeShard(file, instances, shard));
    TRAINYARD_TRY(std::string digest, sha256OfFile(file));
    manifest.shards = {{shard.file, shard.rows, std::move(digest), shard.training}};
    TRAINYARD_TRY_STATUS(syncPath(file));
    TRAINYARD_TRY_STATUS(writeFileAtomically(note, manifest.toJson()));
    return manifest;
}

Result<DatasetStatistics> DatasetBuilder::writeShard(const fs::path& file, const InstanceSpill& instances,
                                                     const PlannedShard& shard)
{
    DatasetStatistics statistics;
    RowBlock rows(m_settings.sequenceLength, m_settings.maxPredictions);
    TRAINYARD_TRY(ShardWriter writer, ShardWriter::create(file, {shard.rows, m_settings.sequenceLength,
                                                                 m_settings.maxPredictions}));
    const auto flush = [&]() -> Status {
        TRAINYARD_TRY_STATUS(m_cancel.check());
        TRAINYARD_TRY_STATUS(writer.append(rows));
        m_progress.advance(Stage::Shards, rows.rows);
        rows.clear();
        return {};
    };
    TRAINYARD_TRY_STATUS(instances.visit(shard.firstRow, shard.rows, [&](const Instance& instance) -> Status {
        appendRow(instance, rows);
        addRow(statistics, instance, m_settings.sequenceLength, m_vocabulary.special().mask);
        if (rows.rows == ShardWriter::kRowsPerChunk)
            return flush();
        return {};
    }));
    if (rows.rows > 0)
        TRAINYARD_TRY_STATUS(flush());
    TRAINYARD_TRY_STATUS(writer.close());
    return statistics;
}

} // namespace trainyard

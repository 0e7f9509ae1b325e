#include "datasets/prepare/dataset_builder.h"

#include <fmt/format.h>

#include "datasets/prepare/parallel_tasks.h"
#include "datasets/prepare/row_statistics.h"
#include "datasets/pretraining/counter_random.h"
#include "datasets/pretraining/instance_builder.h"
#include "datasets/pretraining/instance_rows.h"
#include "datasets/shards/shard_writer.h"
#include "engine/base/hash.h"

namespace trainyard {

namespace fs = std::filesystem;

DatasetBuilder::DatasetBuilder(const PrepareOptions& options, const DocumentStore& documents,
                               const Vocabulary& vocabulary, fs::path workFolder, Progress& progress,
                               const CancelFlag& cancel)
    : m_options(options)
    , m_documents(documents)
    , m_vocabulary(vocabulary)
    , m_workFolder(std::move(workFolder))
    , m_progress(progress)
    , m_cancel(cancel)
{
}

Status DatasetBuilder::build(const fs::path& folder, Manifest& manifest)
{
    const DocumentSplit split = splitDocuments(m_documents, m_options.testFraction, m_options.instances.seed);
    TRAINYARD_TRY_STATUS(checkSplit(split));
    manifest.statistics.documents = m_documents.size();
    manifest.statistics.testDocuments = split.test.size();
    manifest.statistics.sentences = m_documents.sentences();
    manifest.statistics.tokens = m_documents.tokens();

    m_progress.start(Stage::Instances,
                     std::uint64_t{m_documents.size()} * static_cast<std::uint64_t>(m_options.dupeFactor));
    TRAINYARD_TRY(const InstanceSpill training, buildInstances(split.training, "training"));
    TRAINYARD_TRY(const InstanceSpill test, buildInstances(split.test, "test"));
    m_progress.finish(Stage::Instances);

    m_progress.start(Stage::Shards, training.size() + test.size());
    TRAINYARD_TRY(auto plan, planShards(m_options.corpus, true, training.size(), m_options.trainingShards));
    TRAINYARD_TRY_STATUS(writeShards(folder, training, std::move(plan), manifest));
    if (test.size() > 0) {
        TRAINYARD_TRY(auto testPlan, planShards(m_options.corpus, false, test.size(), m_options.testShards));
        TRAINYARD_TRY_STATUS(writeShards(folder, test, std::move(testPlan), manifest));
    }
    m_progress.finish(Stage::Shards);
    return {};
}

Status DatasetBuilder::checkSplit(const DocumentSplit& split)
{
    if (split.training.size() < static_cast<std::size_t>(m_options.trainingShards))
        return badInput(fmt::format("--shards {}: the dump has only {} documents for training",
                                    m_options.trainingShards, split.training.size()),
                        "use fewer shards, a smaller --test-fraction or a longer dump");
    if (m_options.testFraction > 0 && split.test.empty())
        m_progress.warn("no-test-documents",
                        "no document was drawn for the test shards, so there are none; the dump is small");
    if (split.training.size() == 1 || split.test.size() == 1)
        m_progress.warn("lone-document",
                        "one kind of shard has a single document: its rows have no random next sentences");
    return {};
}

Result<InstanceSpill> DatasetBuilder::buildInstances(const std::vector<std::uint32_t>& ordinals,
                                                     const char* name)
{
    const auto passes = static_cast<std::uint32_t>(m_options.dupeFactor);
    TRAINYARD_TRY(
        InstanceSpill spill,
        InstanceSpill::create(m_workFolder / name, m_documents.tokens() * passes * sizeof(std::int32_t)));
    const InstanceBuilder builder(m_options.instances, m_documents, ordinals, m_vocabulary);
    TRAINYARD_TRY_STATUS(runTasks(m_options.threads, ordinals.size(), [&](std::size_t place) -> Status {
        Status status;
        for (std::uint32_t pass = 0; pass < passes; ++pass) {
            TRAINYARD_TRY_STATUS(m_cancel.check());
            const auto dropped = builder.build(place, pass, [&](Instance&& instance, std::uint32_t number) {
                CounterRandom order(m_options.instances.seed, RandomStream::Order, ordinals[place], pass,
                                    number);
                if (status.ok())
                    status = spill.add({order.doubleWord(), ordinals[place], pass, number}, instance);
            });
            TRAINYARD_TRY_STATUS(status);
            m_progress.count(Stage::Instances, "sentences_without_partner", dropped);
            m_progress.advance(Stage::Instances, 1);
        }
        return {};
    }));
    TRAINYARD_TRY_STATUS(spill.seal());
    return spill;
}

Status DatasetBuilder::writeShards(const fs::path& folder, const InstanceSpill& instances,
                                   std::vector<PlannedShard> plan, Manifest& manifest)
{
    std::vector<ShardEntry> entries(plan.size());
    std::vector<DatasetStatistics> statistics(plan.size());
    TRAINYARD_TRY_STATUS(runTasks(m_options.threads, plan.size(), [&](std::size_t i) -> Status {
        const fs::path file = folder / plan[i].file;
        TRAINYARD_TRY(statistics[i], writeShard(file, instances, plan[i]));
        TRAINYARD_TRY(std::string digest, sha256OfFile(file));
        entries[i] = {plan[i].file, plan[i].rows, std::move(digest), plan[i].training};
        return {};
    }));
    for (std::size_t i = 0; i < plan.size(); ++i) {
        manifest.shards.push_back(std::move(entries[i]));
        addRows(manifest.statistics, statistics[i]);
    }
    return {};
}

Result<DatasetStatistics> DatasetBuilder::writeShard(const fs::path& file, const InstanceSpill& instances,
                                                     const PlannedShard& shard)
{
    const InstanceSettings& settings = m_options.instances;
    DatasetStatistics statistics;
    RowBlock rows(settings.sequenceLength, settings.maxPredictions);
    TRAINYARD_TRY(ShardWriter writer,
                  ShardWriter::create(file, {shard.rows, settings.sequenceLength, settings.maxPredictions}));
    const auto flush = [&]() -> Status {
        TRAINYARD_TRY_STATUS(m_cancel.check());
        TRAINYARD_TRY_STATUS(writer.append(rows));
        m_progress.advance(Stage::Shards, rows.rows);
        rows.clear();
        return {};
    };
    TRAINYARD_TRY_STATUS(instances.visit(shard.firstRow, shard.rows, [&](const Instance& instance) -> Status {
        appendRow(instance, rows);
        addRow(statistics, instance, settings.sequenceLength, m_vocabulary.special().mask);
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

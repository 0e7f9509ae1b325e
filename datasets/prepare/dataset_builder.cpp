#include "datasets/prepare/dataset_builder.h"

#include <algorithm>
#include <optional>

#include "datasets/job/parallel_tasks.h"
#include "datasets/prepare/output_place.h"
#include "datasets/prepare/shuffled_rows.h"
#include "datasets/pretraining/row_statistics.h"
#include "datasets/pretraining/token_rows.h"
#include "datasets/shards/shard_writer.h"
#include "engine/base/hash.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

/// Counts the documents whose page id has occurred before; several wikis in one data set may share ids.
std::uint64_t repeatedPageIds(const DocumentStore& documents)
{
    std::vector<std::uint64_t> ids(documents.size());
    for (std::uint32_t ordinal = 0; ordinal < documents.size(); ++ordinal)
        ids[ordinal] = documents.pageId(ordinal);
    std::sort(ids.begin(), ids.end());
    return static_cast<std::uint64_t>(ids.end() - std::unique(ids.begin(), ids.end()));
}

/// Loads the note of a shard if the file matches it; after a power cut the file may be shorter.
std::optional<Manifest> finishedShard(const fs::path& note, const fs::path& file)
{
    const auto manifest = Manifest::loadFile(note);
    const auto digest = sha256OfFile(file);
    if (!manifest.ok() || !digest.ok() || manifest->shards.size() != 1 ||
        manifest->shards.front().sha256 != digest.value())
        return std::nullopt;
    return *manifest;
}

/// Rows of running text, as instances that have neither a second side nor masks.
class RunningRows final : public FinalRows {
public:
    explicit RunningRows(TokenRows text) : m_text(std::move(text)) {}

    std::uint64_t count() const override { return m_text.rows(); }
    Status visit(std::uint64_t first, std::uint64_t count, const Take& take) const override
    {
        Instance row;
        return m_text.visit(first, count, [&](std::span<const std::int32_t> tokens, std::uint64_t textBytes) {
            row.tokens.assign(tokens.begin(), tokens.end());
            row.textBytes = static_cast<std::uint32_t>(textBytes);
            row.firstSegment = static_cast<std::uint32_t>(tokens.size());
            return take(row);
        });
    }
    std::uint64_t bytesPerReader() const override { return 0; } // negligible: some rows
    std::uint64_t dropped() const override { return m_text.droppedTokens(); }

private:
    TokenRows m_text;
};

} // namespace

DatasetBuilder::DatasetBuilder(const PrepareOptions& options, const RowShape& shape,
                               const DocumentStore& documents, const Vocabulary& vocabulary,
                               fs::path workFolder, Progress& progress, const CancelFlag& cancel)
    : m_options(options)
    , m_settings(options.instances)
    , m_documents(documents)
    , m_vocabulary(vocabulary)
    , m_workFolder(std::move(workFolder))
    , m_progress(progress)
    , m_cancel(cancel)
{
    m_settings.sequenceLength = shape.sequenceLength;
    m_settings.maxPredictions = shape.maxPredictions;
}

Status DatasetBuilder::makeRows(const DocumentSplit& split, const PassCounts& passes)
{
    m_testDocuments = split.test.size();
    TRAINYARD_TRY(m_sides[0], makeSide(split.training, passes, true));
    TRAINYARD_TRY(m_sides[1], makeSide(split.test, static_cast<std::uint32_t>(m_options.dupeFactor), false));
    m_progress.extend(Stage::Shards, m_sides[0].rows->count() + m_sides[1].rows->count());
    return {};
}

Result<DatasetBuilder::Side> DatasetBuilder::makeSide(const std::vector<std::uint32_t>& ordinals,
                                                      const PassCounts& passes, bool training)
{
    Side side;
    TRAINYARD_TRY(side.rows, rowsOf(ordinals, passes, training ? "training" : "test"));
    const int shards = training ? m_options.trainingShards : m_options.testShards;
    if (training || side.rows->count() > 0) {
        TRAINYARD_TRY(side.shards, planShards(m_options.corpus, training, side.rows->count(), shards));
    }
    return side;
}

Result<std::unique_ptr<FinalRows>> DatasetBuilder::rowsOf(const std::vector<std::uint32_t>& ordinals,
                                                          const PassCounts& passes, const char* name)
{
    if (m_settings.objective != Objective::Tokens)
        return shuffleInstances({m_options, m_settings, m_documents, m_vocabulary, ordinals, passes},
                                m_workFolder / name, m_progress, m_cancel);
    m_progress.advance(Stage::Instances, passes.ofFirst(ordinals.size())); // there are no instances to build
    return std::unique_ptr<FinalRows>(std::make_unique<RunningRows>(
        TokenRows(m_settings, m_documents, ordinals, passes, m_vocabulary.special().documentEnd)));
}

Status DatasetBuilder::writeShards(const fs::path& folder, Manifest& manifest)
{
    describeDocuments(manifest);
    for (const Side& side : m_sides)
        TRAINYARD_TRY_STATUS(writeSide(side, folder, manifest));
    return {};
}

void DatasetBuilder::describeDocuments(Manifest& manifest) const
{
    manifest.statistics.documents = m_documents.size();
    manifest.statistics.testDocuments = m_testDocuments;
    manifest.statistics.sentences = m_documents.sentences();
    manifest.statistics.tokens = m_documents.tokens();
    manifest.counters[m_settings.objective == Objective::Tokens ? "tokens_after_the_last_row"
                                                                : "sentences_without_partner"] =
        m_sides[0].rows->dropped() + m_sides[1].rows->dropped();
    if (m_options.extra.provenance)
        manifest.counters["repeated_page_ids"] = repeatedPageIds(m_documents);
}

Status DatasetBuilder::writeSide(const Side& side, const fs::path& folder, Manifest& manifest)
{
    const Manifest described = manifest;
    std::vector<Manifest> shards(side.shards.size());
    TRAINYARD_TRY_STATUS(runTasks(writersOf(*side.rows), shards.size(), [&](std::size_t i) -> Status {
        TRAINYARD_TRY(shards[i], finishShard(*side.rows, side.shards[i], folder, described));
        return {};
    }));
    for (const Manifest& shard : shards) {
        manifest.shards.push_back(shard.shards.front());
        addRows(manifest.statistics, shard.statistics);
    }
    return {};
}

/// Returns the number of threads for which there is memory.
int DatasetBuilder::writersOf(const FinalRows& rows) const
{
    const std::uint64_t most = m_options.memoryBytes / 4 / std::max<std::uint64_t>(rows.bytesPerReader(), 1);
    return static_cast<int>(
        std::clamp<std::uint64_t>(most, 1, static_cast<std::uint64_t>(m_options.threads)));
}

/// Writes a shard, or returns that of an earlier process. The note of a finished shard is a manifest of that
/// shard alone.
Result<Manifest> DatasetBuilder::finishShard(const FinalRows& rows, const PlannedShard& shard,
                                             const fs::path& folder, const Manifest& described)
{
    const fs::path note = m_workFolder / (shard.file + ".json");
    const fs::path file = folder / shard.file;
    if (auto finished = finishedShard(note, file)) {
        m_progress.skip(Stage::Shards, shard.rows);
        return std::move(*finished);
    }
    TRAINYARD_TRY_STATUS(removeUnnoted(file));
    Manifest manifest = described;
    TRAINYARD_TRY(Written written, writeShard(rows, shard, file));
    TRAINYARD_TRY(std::string digest, sha256OfFile(file));
    manifest.statistics = std::move(written.statistics);
    manifest.shards = {{shard.file, shard.rows, std::move(digest), shard.training,
                        manifest.statistics.rowTokens, written.textBytes}};
    TRAINYARD_TRY_STATUS(syncPath(file));
    TRAINYARD_TRY_STATUS(writeFileAtomically(note, manifest.toJson()));
    return manifest;
}

Result<DatasetBuilder::Written> DatasetBuilder::writeShard(const FinalRows& rows, const PlannedShard& shard,
                                                           const fs::path& file)
{
    const bool provenance = m_options.extra.provenance;
    Written written;
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
        addRow(written.statistics, row, m_settings.sequenceLength, m_vocabulary.special().mask);
        written.textBytes += row.textBytes;
        return block.rows == ShardWriter::kRowsPerChunk ? flush() : Status();
    }));
    if (block.rows > 0)
        TRAINYARD_TRY_STATUS(flush());
    TRAINYARD_TRY_STATUS(writer.close());
    return written;
}

/// Sets the origin of the last row.
void DatasetBuilder::addOrigin(const Instance& instance, RowBlock& rows) const
{
    rows.documentA.back() = static_cast<std::int64_t>(m_documents.pageId(instance.a.document));
    rows.documentB.back() = static_cast<std::int64_t>(m_documents.pageId(instance.b.document));
    rows.sentenceA.back() = instance.a.sentence;
    rows.sentenceB.back() = instance.b.sentence;
}

} // namespace trainyard

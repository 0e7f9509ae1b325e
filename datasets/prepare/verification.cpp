#include "datasets/prepare/verification.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "datasets/prepare/export_check.h"
#include "datasets/prepare/row_check.h"
#include "datasets/prepare/row_statistics.h"
#include "datasets/prepare/share_checks.h"
#include "datasets/prepare/uniformity.h"
#include "datasets/shards/shard_reader.h"
#include "engine/base/hash.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kRowsPerRead = 1024;
constexpr double kDefaultMaskedShare = 0.15;

/// Names of the shards of a folder that has no manifest.
Result<std::vector<ShardEntry>> findShards(const fs::path& folder)
{
    std::vector<ShardEntry> shards;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename();
        if (entry.path().extension() == ".hdf5")
            shards.push_back({name, 0, {}, name.find("training") != std::string::npos});
    }
    if (error || shards.empty())
        return badInput(folder.string() + ": there is neither a manifest.json nor a shard (*.hdf5)",
                        "name the folder of a data set");
    std::sort(shards.begin(), shards.end(),
              [](const ShardEntry& a, const ShardEntry& b) { return a.file < b.file; });
    return shards;
}

class Verifier {
public:
    Verifier(const VerifyOptions& options, std::optional<Manifest> manifest, const Vocabulary& vocabulary,
             VerificationReport report)
        : m_options(options)
        , m_manifest(std::move(manifest))
        , m_vocabulary(vocabulary)
        , m_report(std::move(report))
        , m_uniformity(vocabulary)
    {
    }

    VerificationReport run()
    {
        for (std::size_t i = 0; i < m_report.shards.size(); ++i)
            checkShard(i);
        checkSizes();
        checkFurtherFormats();
        if (m_report.ok())
            checkWhole();
        return std::move(m_report);
    }

private:
    double maskedShare() const { return m_manifest ? m_manifest->settings.maskedShare : kDefaultMaskedShare; }

    void violate(Invariant invariant, const std::string& file, std::string problem)
    {
        m_report.violations.push_back({invariant, file, std::nullopt, std::move(problem)});
    }

    void checkShard(std::size_t index)
    {
        ShardEntry& shard = m_report.shards[index];
        const fs::path path = m_options.folder / shard.file;
        auto reader = ShardReader::open(path, m_report.sequenceLength, m_report.maxPredictions);
        if (!reader.ok()) {
            violate(Invariant::Columns, shard.file, reader.error().message);
            return;
        }
        checkAgainstManifest(shard, path, reader->rows());
        shard.rows = reader->rows();
        (shard.training ? m_report.trainingRows : m_report.testRows) += shard.rows;
        DatasetStatistics statistics;
        if (!checkRows(shard, *reader, statistics))
            return;
        if (auto problem = checkShardRandomNext(statistics, shard.rows, m_manifest))
            violate(Invariant::RandomNext, shard.file, *problem);
        addRows(m_report.statistics, statistics);
        takeSamples(shard, *reader, index);
    }

    void checkAgainstManifest(const ShardEntry& shard, const fs::path& path, std::uint64_t rows)
    {
        if (!m_manifest)
            return;
        if (rows != shard.rows)
            violate(Invariant::ShardSizes, shard.file,
                    fmt::format("{} rows, the manifest says {}", rows, shard.rows));
        const auto digest = sha256OfFile(path);
        if (!digest.ok() || digest.value() != shard.sha256)
            violate(Invariant::Hashes, shard.file,
                    "its SHA-256 is not the one in the manifest; the file was changed or damaged");
    }

    /// False at the first violation: one bad row is seldom alone, and one is enough to know.
    bool checkRows(const ShardEntry& shard, ShardReader& reader, DatasetStatistics& statistics)
    {
        RowBlock rows;
        Instance instance;
        for (std::uint64_t first = 0; first < reader.rows(); first += kRowsPerRead) {
            const auto status = reader.read(
                first, static_cast<std::size_t>(std::min<std::uint64_t>(kRowsPerRead, reader.rows() - first)),
                rows);
            if (!status.ok()) {
                violate(Invariant::Columns, shard.file, status.error().message);
                return false;
            }
            for (std::size_t row = 0; row < rows.rows; ++row) {
                if (auto problem = checkRow(rows, row, m_vocabulary, maskedShare(), instance)) {
                    problem->file = shard.file;
                    problem->row = first + row;
                    m_report.violations.push_back(std::move(*problem));
                    return false;
                }
                addRow(statistics, instance, m_report.sequenceLength, m_vocabulary.special().mask);
                m_uniformity.add(instance);
            }
        }
        return true;
    }

    void checkFurtherFormats()
    {
        if (!m_manifest)
            return;
        for (Violation& broken : checkExports(m_options.folder, *m_manifest))
            m_report.violations.push_back(std::move(broken));
    }

    void checkSizes()
    {
        std::uint64_t fewest = UINT64_MAX, most = 0;
        for (const ShardEntry& shard : m_report.shards) {
            if (!shard.training)
                continue;
            fewest = std::min(fewest, shard.rows);
            most = std::max(most, shard.rows);
        }
        if (most <= fewest + 1 || fewest == UINT64_MAX)
            return;
        const std::string problem = fmt::format(
            "training shards have {} to {} rows; ranks would end an epoch at different steps", fewest, most);
        if (m_manifest)
            violate(Invariant::ShardSizes, {}, problem);
        else
            m_report.notes.push_back(problem);
    }

    /// What only the rows of all shards together show.
    void checkWhole()
    {
        const std::uint64_t rows = m_report.trainingRows + m_report.testRows;
        DatasetStatistics& found = m_report.statistics;
        if (m_manifest) {
            if (!sameRowStatistics(found, m_manifest->statistics))
                violate(Invariant::Statistics, {}, "the manifest's statistics are not those of the rows");
            copyDocumentStatistics(m_manifest->statistics, found);
        }
        if (auto problem = checkMaskShares(found, m_vocabulary.size()))
            violate(Invariant::MaskShares, {}, *problem);
        if (auto problem = checkRandomNext(found, rows, m_manifest))
            violate(Invariant::RandomNext, {}, *problem);
        if (auto problem = checkUniformity(m_uniformity))
            violate(Invariant::Uniformity, {}, *problem);
    }

    /// Samples are dealt to the training shards in turn and lie at even distances within a shard.
    void takeSamples(const ShardEntry& shard, ShardReader& reader, std::size_t index)
    {
        const auto trainingShards = static_cast<int>(std::count_if(
            m_report.shards.begin(), m_report.shards.end(), [](const ShardEntry& s) { return s.training; }));
        if (!shard.training || m_options.samples == 0 || trainingShards == 0)
            return;
        const int share = m_options.samples / trainingShards +
                          (static_cast<int>(index) < m_options.samples % trainingShards ? 1 : 0);
        for (int i = 0; i < share; ++i)
            decodeSample(shard, reader,
                         reader.rows() * static_cast<std::uint64_t>(i) / static_cast<std::uint64_t>(share));
    }

    void decodeSample(const ShardEntry& shard, ShardReader& reader, std::uint64_t row)
    {
        RowBlock rows;
        Instance instance;
        if (!reader.read(row, 1, rows).ok() || checkRow(rows, 0, m_vocabulary, maskedShare(), instance))
            return;
        m_report.samples.push_back(decodeRow(shard.file, row, instance, m_vocabulary));
    }

    const VerifyOptions& m_options;
    std::optional<Manifest> m_manifest;
    const Vocabulary& m_vocabulary;
    VerificationReport m_report;
    UniformityCheck m_uniformity;
};

Result<VerificationReport> verifyWithManifest(const VerifyOptions& options)
{
    TRAINYARD_TRY(Manifest manifest, Manifest::load(options.folder));
    const fs::path file =
        options.vocabulary.empty() ? options.folder / manifest.vocabularyFile : options.vocabulary;
    TRAINYARD_TRY(const Vocabulary vocabulary, Vocabulary::load(file));
    VerificationReport report;
    report.hasManifest = true;
    report.sequenceLength = manifest.sequenceLength;
    report.maxPredictions = manifest.maxPredictions;
    report.vocabularySize = vocabulary.size();
    report.shards = manifest.shards;
    if (vocabulary.sha256() != manifest.vocabularySha256)
        report.violations.push_back({Invariant::Hashes, file.filename(), std::nullopt,
                                     "the vocabulary is not the one that the shards were made with"});
    return Verifier(options, std::move(manifest), vocabulary, std::move(report)).run();
}

Result<VerificationReport> verifyForeign(const VerifyOptions& options)
{
    VerificationReport report;
    TRAINYARD_TRY(report.shards, findShards(options.folder));
    if (options.vocabulary.empty())
        return badInput(options.folder.string() + ": there is no manifest.json",
                        "name the vocabulary of the shards with --vocab FILE");
    TRAINYARD_TRY(const Vocabulary vocabulary, Vocabulary::load(options.vocabulary));
    TRAINYARD_TRY(const FoundShape widths, readShardShape(options.folder / report.shards.front().file));
    report.sequenceLength = widths.sequenceLength;
    report.maxPredictions = widths.maxPredictions;
    report.vocabularySize = vocabulary.size();
    report.notes.push_back("no manifest.json: hashes, documents and settings cannot be checked");
    return Verifier(options, std::nullopt, vocabulary, std::move(report)).run();
}

} // namespace

Result<VerificationReport> verifyDataset(const VerifyOptions& options)
{
    std::error_code error;
    if (!fs::is_directory(options.folder, error))
        return badInput(options.folder.string() + " is not a folder", "name the folder of a data set");
    return fs::exists(options.folder / Manifest::kFileName, error) ? verifyWithManifest(options)
                                                                   : verifyForeign(options);
}

} // namespace trainyard

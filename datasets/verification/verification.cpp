#include "datasets/verification/verification.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "datasets/pretraining/row_statistics.h"
#include "datasets/shards/shard_reader.h"
#include "datasets/verification/document_check.h"
#include "datasets/verification/export_check.h"
#include "datasets/verification/overlap_check.h"
#include "datasets/verification/piece_check.h"
#include "datasets/verification/row_check.h"
#include "datasets/verification/share_checks.h"
#include "datasets/verification/task_check.h"
#include "datasets/verification/token_counts.h"
#include "datasets/verification/uniformity.h"
#include "engine/base/hash.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kRowsPerRead = 1024;
constexpr std::size_t kRowsCutAgain = 256; ///< per shard; invariant 13 costs more than all others
constexpr std::size_t kFrequentPieces = 20;

/// The shards in a folder, by their names alone.
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
                        "pass the folder of a data set");
    std::sort(shards.begin(), shards.end(),
              [](const ShardEntry& a, const ShardEntry& b) { return a.file < b.file; });
    return shards;
}

class Verifier {
public:
    /// All references must outlive the verifier.
    Verifier(const VerifyOptions& options, std::optional<Manifest> manifest, const RowTokenizer& tokenizer,
             VerificationReport report, Progress& progress, const CancelFlag& cancel)
        : m_options(options)
        , m_manifest(std::move(manifest))
        , m_vocabulary(tokenizer.vocabulary)
        , m_report(std::move(report))
        , m_progress(progress)
        , m_cancel(cancel)
        , m_checker(m_vocabulary, m_report.rules)
        , m_uniformity(m_vocabulary)
        , m_overlap(m_vocabulary.size())
        , m_tokens(m_vocabulary.size())
        , m_pieces(tokenizer)
    {
    }

    Result<VerificationReport> run()
    {
        m_progress.start(Stage::Verify, rowsExpected());
        for (std::size_t i = 0; i < m_report.shards.size(); ++i) {
            checkShard(i);
            if (m_cancel.isSet())
                return cancelled("stopped before all rows were checked");
        }
        m_progress.finish(Stage::Verify);
        checkSizes();
        checkCopies();
        checkStrangers();
        checkExportFormats();
        if (m_report.ok())
            checkCompleteSet();
        m_report.text = textFigures(m_tokens, m_vocabulary);
        return std::move(m_report);
    }

private:
    void violate(Invariant invariant, const std::string& file, std::string problem)
    {
        m_report.violations.push_back({invariant, file, std::nullopt, std::move(problem)});
    }
    void violateIf(Invariant invariant, std::optional<std::string> problem, const std::string& file = {})
    {
        if (problem)
            violate(invariant, file, std::move(*problem));
    }

    /// The manifest where it knows the documents that the rows were made of.
    std::optional<Manifest> ofDocuments() const
    {
        return m_manifest && !m_manifest->isAdopted() ? m_manifest : std::nullopt;
    }

    Result<ShardReader> open(const ShardEntry& shard) const
    {
        return ShardReader::open(m_options.folder / shard.file, m_report.sequenceLength,
                                 m_report.maxPredictions, m_report.rules.provenance);
    }

    /// For the progress alone.
    std::uint64_t rowsExpected() const
    {
        if (m_manifest)
            return m_manifest->trainingRows() + m_manifest->testRows();
        std::uint64_t rows = 0;
        for (const ShardEntry& shard : m_report.shards) {
            const auto reader = open(shard);
            rows += reader.ok() ? reader->rows() : 0;
        }
        return rows;
    }

    void checkShard(std::size_t index)
    {
        ShardEntry& shard = m_report.shards[index];
        auto reader = open(shard);
        if (!reader.ok()) {
            violate(Invariant::Columns, shard.file, reader.error().message);
            return;
        }
        checkFile(shard, reader->rows());
        shard.rows = reader->rows();
        (shard.training ? m_report.trainingRows : m_report.testRows) += shard.rows;
        DatasetStatistics statistics;
        if (!checkRows(shard, *reader, statistics))
            return;
        violateIf(Invariant::RandomNext,
                  checkShardLabels(statistics, shard.rows, m_report.rules, ofDocuments()), shard.file);
        addRows(m_report.statistics, statistics);
        takeSamples(shard, *reader, index);
    }

    /// Compares with the manifest; without one, the hash is computed to compare the shards.
    void checkFile(ShardEntry& shard, std::uint64_t rows)
    {
        const auto digest = sha256OfFile(m_options.folder / shard.file);
        if (!m_manifest) {
            shard.sha256 = digest.ok() ? *digest : std::string();
            return;
        }
        if (rows != shard.rows)
            violate(Invariant::ShardSizes, shard.file,
                    fmt::format("{} rows, the manifest says {}", rows, shard.rows));
        if (!digest.ok() || digest.value() != shard.sha256)
            violate(Invariant::Hashes, shard.file,
                    "its SHA-256 differs from the manifest; the file was changed or damaged");
    }

    /// False at the first violation: one bad row is seldom alone, and one is enough to know.
    bool checkRows(const ShardEntry& shard, ShardReader& reader, DatasetStatistics& statistics)
    {
        RowBlock rows;
        for (std::uint64_t first = 0; first < reader.rows() && !m_cancel.isSet(); first += kRowsPerRead) {
            const auto status = reader.read(
                first, static_cast<std::size_t>(std::min<std::uint64_t>(kRowsPerRead, reader.rows() - first)),
                rows);
            if (!status.ok()) {
                violate(Invariant::Columns, shard.file, status.error().message);
                return false;
            }
            if (auto problem = checkBlock(rows, first, statistics)) {
                problem->file = shard.file;
                m_report.violations.push_back(std::move(*problem));
                return false;
            }
            m_documents.add(rows, shard.training);
            m_progress.advance(Stage::Verify, rows.rows);
        }
        return true;
    }

    /// NVIDIA's training script reads every file with "training" in its name, whatever it is and whatever the
    /// manifest says; others read every .hdf5.
    void checkStrangers()
    {
        if (!m_manifest)
            return;
        std::set<std::string> strangers;
        std::error_code error;
        for (fs::directory_iterator at(m_options.folder, error), end; !error && at != end;
             at.increment(error)) {
            const std::string name = at->path().filename();
            const bool read = at->path().extension() == ".hdf5" || name.find("training") != std::string::npos;
            std::error_code ignored;
            if (read && at->is_regular_file(ignored) && !isInManifest(name))
                strangers.insert(name);
        }
        for (const std::string& name : strangers)
            violate(Invariant::ShardSizes, name,
                    "it is not in the manifest, and training scripts would read it; remove it");
    }

    bool isInManifest(const std::string& file) const
    {
        const auto isFile = [&](const auto& entry) { return entry.file == file; };
        return std::any_of(m_manifest->shards.begin(), m_manifest->shards.end(), isFile) ||
               std::any_of(m_manifest->exports.begin(), m_manifest->exports.end(), isFile) ||
               file == m_manifest->vocabularyFile;
    }

    void checkExportFormats()
    {
        if (!m_manifest)
            return;
        for (Violation& broken : checkExports(m_options.folder, *m_manifest))
            m_report.violations.push_back(std::move(broken));
    }

    std::optional<Violation> checkBlock(const RowBlock& rows, std::uint64_t first,
                                        DatasetStatistics& statistics)
    {
        for (std::size_t row = 0; row < rows.rows; ++row) {
            if (auto problem = m_checker.check(rows, row, m_instance)) {
                problem->row = first + row;
                return problem;
            }
            addRow(statistics, m_instance, m_report.sequenceLength, m_vocabulary.special().mask);
            m_tokens.add(m_instance);
            if (m_report.rules.masks())
                m_uniformity.add(m_instance);
            if (m_report.rules.randomPairs())
                m_overlap.add(m_instance);
            if (first + row < kRowsCutAgain)
                m_pieces.add(m_instance);
        }
        return std::nullopt;
    }

    void checkSizes()
    {
        if (m_report.ok() && (m_manifest ? m_report.trainingRows : m_report.rows()) == 0)
            violate(Invariant::ShardSizes, {}, "there are no rows for training");
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
        if (ofDocuments())
            violate(Invariant::ShardSizes, {}, problem);
        else
            m_report.notes.push_back(problem);
    }

    void checkCopies()
    {
        std::map<std::string, std::string> files; // by hash
        for (const ShardEntry& shard : m_report.shards) {
            const auto [first, isNew] = files.emplace(shard.sha256, shard.file);
            if (!isNew && !shard.sha256.empty())
                violate(Invariant::Hashes, shard.file, "it is a copy of " + first->second);
        }
    }

    /// What only the rows of all shards together show.
    void checkCompleteSet()
    {
        const RowRules& rules = m_report.rules;
        DatasetStatistics& found = m_report.statistics;
        if (m_manifest) {
            if (!sameRowStatistics(found, m_manifest->statistics))
                violate(Invariant::Statistics, {}, "the manifest's statistics do not match the rows");
            copyDocumentStatistics(m_manifest->statistics, found);
        }
        violateIf(Invariant::Documents, documentProblem());
        violateIf(Invariant::Pieces, m_pieces.problem());
        if (!rules.masks())
            return;
        violateIf(Invariant::MaskShares, checkMaskShares(found, m_vocabulary.size()));
        violateIf(Invariant::RandomNext, checkLabels(found, m_report.rows(), rules, ofDocuments()));
        violateIf(Invariant::NextSentences, m_overlap.problem());
        violateIf(Invariant::RowLengths, checkRowLengths(found, m_report.rows(), ofDocuments()));
        violateIf(Invariant::Uniformity, checkUniformity(m_uniformity, rules.wholeWords));
    }

    std::optional<std::string> documentProblem()
    {
        const std::optional<Manifest> known = ofDocuments();
        if (auto problem = known ? checkCounts(*known, m_report.rules) : std::nullopt)
            return problem;
        if (m_report.rules.provenance)
            return m_documents.problem(m_report.rules, known);
        if (!m_report.rules.masks())
            return known ? checkRunningText(m_report.statistics, *known) : std::nullopt;
        m_report.notes.push_back(
            "no columns doc_a, doc_b: whether test documents occur in training, and which "
            "sentences B comes from, cannot be checked row by row (--provenance)");
        return std::nullopt;
    }

    /// Distributes samples over the training shards in turn, at even distances within a shard.
    void takeSamples(const ShardEntry& shard, ShardReader& reader, std::size_t index)
    {
        const auto isTraining = [](const ShardEntry& s) { return s.training; };
        const auto begin = m_report.shards.begin();
        const auto shards = std::count_if(begin, m_report.shards.end(), isTraining);
        if (!shard.training || m_options.samples == 0)
            return;
        const auto before = std::count_if(begin, begin + static_cast<std::ptrdiff_t>(index), isTraining);
        const auto share = m_options.samples / shards + (before < m_options.samples % shards ? 1 : 0);
        for (std::ptrdiff_t i = 0; i < share; ++i)
            decodeSample(shard, reader,
                         reader.rows() * static_cast<std::uint64_t>(i) / static_cast<std::uint64_t>(share));
    }

    void decodeSample(const ShardEntry& shard, ShardReader& reader, std::uint64_t row)
    {
        RowBlock rows;
        if (!reader.read(row, 1, rows).ok() || m_checker.check(rows, 0, m_instance))
            return;
        m_report.samples.push_back(decodeRow(shard.file, row, m_instance, m_vocabulary, m_report.rules));
    }

    const VerifyOptions& m_options;
    std::optional<Manifest> m_manifest;
    const Vocabulary& m_vocabulary;
    VerificationReport m_report;
    Progress& m_progress;
    const CancelFlag& m_cancel;
    RowChecker m_checker;
    Instance m_instance; ///< the row under way
    UniformityCheck m_uniformity;
    OverlapCheck m_overlap;
    TokenCounts m_tokens;
    PieceCheck m_pieces;
    DocumentCheck m_documents;
};

bool areQuestionsIntact(const fs::path& folder, const TaskDescription& task)
{
    if (task.questionsSha256.empty())
        return true;
    const auto found = sha256OfFile(folder / task.questionsFile);
    return found.ok() && *found == task.questionsSha256;
}

/// The files beside a tokenizer.json, and the special tokens that they name.
void checkSmallFiles(const fs::path& folder, const Manifest& manifest, const RowTokenizer& tokenizer,
                     VerificationReport& report)
{
    for (const auto& [file, sha256] : manifest.tokenizer.files) {
        const auto found = sha256OfFile(folder / file);
        if (!found.ok() || *found != sha256)
            report.violations.push_back(
                {Invariant::Hashes, file, std::nullopt, "the file differs from the one used for the shards"});
    }
    if (manifest.hasTokenizerJson() &&
        idsByRole(tokenizer.vocabulary.special()) != manifest.tokenizer.special)
        report.violations.push_back({Invariant::Hashes, manifest.vocabularyFile, std::nullopt,
                                     "its special tokens differ from those that the manifest lists"});
}

Result<VerificationReport> verifyWithManifest(const VerifyOptions& options, Progress& progress,
                                              const CancelFlag& cancel)
{
    TRAINYARD_TRY(Manifest manifest, Manifest::load(options.folder));
    const fs::path file =
        options.vocabulary.empty() ? options.folder / manifest.vocabularyFile : options.vocabulary;
    TRAINYARD_TRY(
        const RowTokenizer tokenizer,
        loadRowTokenizer(file, tablesOfProfile(manifest.settings.tokenizerProfile), manifest.settings.cased));
    const Vocabulary& vocabulary = tokenizer.vocabulary;
    VerificationReport report;
    report.hasManifest = true;
    TRAINYARD_TRY(report.rules, RowRules::of(manifest));
    report.sequenceLength = manifest.sequenceLength;
    report.maxPredictions = manifest.maxPredictions;
    report.vocabularySize = vocabulary.size();
    report.shards = manifest.shards;
    // The data set's own file must not have changed by a byte; another one must hold the same pieces.
    TRAINYARD_TRY(const std::string hash,
                  options.vocabulary.empty() ? sha256OfFile(file) : Result<std::string>(vocabulary.sha256()));
    if (hash != manifest.vocabularySha256)
        report.violations.push_back({Invariant::Hashes, file.filename(), std::nullopt,
                                     "the vocabulary differs from the one used for the shards"});
    checkSmallFiles(options.folder, manifest, tokenizer, report);
    if (!areQuestionsIntact(options.folder, manifest.task))
        report.violations.push_back({Invariant::Hashes, manifest.task.questionsFile, std::nullopt,
                                     "the questions differ from those that the rows were made of"});
    if (manifest.taskKind() != TaskKind::None)
        return verifyTask(options, manifest, tokenizer, std::move(report), progress, cancel);
    return Verifier(options, std::move(manifest), tokenizer, std::move(report), progress, cancel).run();
}

/// Rows without a second side are those of masks alone.
Result<bool> hasPairs(const fs::path& file, const FoundShape& shape)
{
    TRAINYARD_TRY(ShardReader reader, ShardReader::open(file, shape.sequenceLength, shape.maxPredictions));
    RowBlock rows;
    TRAINYARD_TRY_STATUS(
        reader.read(0, static_cast<std::size_t>(std::min<std::uint64_t>(kRowsPerRead, reader.rows())), rows));
    return std::any_of(rows.segmentIds.begin(), rows.segmentIds.end(), [](auto s) { return s != 0; });
}

/// A shard that cannot be read is reported with the others, as one of pairs.
RowRules guessRules(const fs::path& file, const FoundShape& shape)
{
    RowRules rules;
    rules.provenance = shape.provenance;
    if (shape.maxPredictions == 0) {
        rules.objective = Objective::Tokens;
        return rules;
    }
    const auto pairs = hasPairs(file, shape);
    rules.objective = pairs.ok() && !*pairs ? Objective::Masked : Objective::Bert;
    return rules;
}

Result<VerificationReport> verifyForeign(const VerifyOptions& options, Progress& progress,
                                         const CancelFlag& cancel)
{
    VerificationReport report;
    TRAINYARD_TRY(report.shards, findShards(options.folder));
    if (options.vocabulary.empty())
        return badInput(options.folder.string() + ": there is no manifest.json",
                        "pass the vocabulary of the shards with --vocab FILE");
    TRAINYARD_TRY(const RowTokenizer tokenizer,
                  loadRowTokenizer(options.vocabulary, huggingFaceTables(), std::nullopt));
    const fs::path first = options.folder / report.shards.front().file;
    TRAINYARD_TRY(const FoundShape shape, readShardShape(first));
    report.rules = guessRules(first, shape);
    report.sequenceLength = shape.sequenceLength;
    report.maxPredictions = shape.maxPredictions;
    report.vocabularySize = tokenizer.vocabulary.size();
    report.notes.push_back(
        "no manifest.json: settings, statistics and the number of documents cannot be checked");
    return Verifier(options, std::nullopt, tokenizer, std::move(report), progress, cancel).run();
}

} // namespace

TextFigures textFigures(const TokenCounts& counts, const Vocabulary& vocabulary)
{
    const SpecialTokens& special = vocabulary.special();
    TextFigures text;
    text.tokens = counts.text(special);
    text.unknown = counts.of(special.unknown);
    text.piecesUsed = counts.used();
    for (const auto& [id, count] : counts.mostFrequent(kFrequentPieces, special))
        text.mostFrequent.push_back(
            {vocabulary.piece(id), 100 * static_cast<double>(count) / static_cast<double>(text.tokens)});
    return text;
}

Result<VerificationReport> verifyDataset(const VerifyOptions& options, Progress& progress,
                                         const CancelFlag& cancel)
{
    std::error_code error;
    if (!fs::is_directory(options.folder, error))
        return badInput(options.folder.string() + " is not a folder", "pass the folder of a data set");
    return fs::exists(options.folder / Manifest::kFileName, error)
               ? verifyWithManifest(options, progress, cancel)
               : verifyForeign(options, progress, cancel);
}

} // namespace trainyard

#include "datasets/prepare/preparation.h"

#include <fmt/format.h>

#include "datasets/prepare/checked_options.h"
#include "datasets/prepare/corpus_reading.h"
#include "datasets/prepare/corpus_stages.h"
#include "datasets/prepare/dataset_builder.h"
#include "datasets/prepare/document_part.h"
#include "datasets/prepare/document_split.h"
#include "datasets/prepare/export_formats.h"
#include "datasets/prepare/folder_inputs.h"
#include "datasets/prepare/given_tokens.h"
#include "datasets/prepare/job_text.h"
#include "datasets/prepare/mixture.h"
#include "datasets/prepare/output_place.h"
#include "datasets/prepare/row_tokenizer_choice.h"
#include "datasets/prepare/staged_folder.h"
#include "datasets/prepare/task_preparation.h"
#include "datasets/tokenizer/unicode_tables.h"
#include "engine/base/counted.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

/// Returns the names of the input files, without folders.
Result<std::vector<std::string>> namesOfDumps(const PrepareOptions& options)
{
    std::vector<std::string> names;
    for (const fs::path& dump : options.dumps)
        names.push_back(dump.filename());
    for (const fs::path& folder : options.parts) {
        TRAINYARD_TRY(const DocumentPart part, DocumentPart::load(folder));
        names.insert(names.end(), part.dumps.begin(), part.dumps.end());
    }
    return names;
}

Manifest describe(const PrepareOptions& options, const RowShape& shape, const RowTokenizer& tokenizer,
                  const std::vector<std::string>& dumpNames)
{
    Manifest manifest;
    manifest.toolVersion = TRAINYARD_VERSION;
    manifest.sequenceLength = shape.sequenceLength;
    manifest.maxPredictions = shape.maxPredictions;
    manifest.vocabularySize = static_cast<int>(tokenizer.vocabulary.size());
    manifest.vocabularyFile = tokenizer.fileName;
    manifest.vocabularySha256 = tokenizer.vocabulary.sha256();
    manifest.tokenizer = descriptionOf(tokenizer);
    manifest.seed = options.instances.seed;
    manifest.settings.dumps = dumpNames;
    manifest.settings.corpus = options.corpus;
    manifest.settings.keepHeadings = options.keepHeadings;
    manifest.settings.keepLists = options.keepLists;
    manifest.settings.segmenter = options.punkt.empty() ? "rules" : "punkt";
    manifest.settings.punktSha256 = options.punktSha256;
    manifest.settings.objective = nameOf(options.instances.objective);
    manifest.settings.nextSentence = nameOf(options.instances.nextSentence);
    manifest.settings.wholeWords = options.instances.wholeWords;
    manifest.settings.provenance = options.extra.provenance;
    manifest.settings.cased = tokenizer.isCased;
    manifest.settings.tokenizerProfile = unicodeTables(options.profile)->profile;
    manifest.settings.dupeFactor = options.dupeFactor;
    manifest.settings.maskedShare = options.instances.maskedShare;
    manifest.settings.shortSequenceShare = options.instances.shortSequenceShare;
    manifest.settings.testFraction = options.testFraction;
    return manifest;
}

Status checkSplit(const PrepareOptions& options, const DocumentSplit& split, Progress& progress)
{
    if (split.training.empty() && split.test.empty())
        return badInput("no document of the corpus has any text",
                        "check that --format matches the files and that they contain articles");
    if (split.training.size() < static_cast<std::size_t>(options.trainingShards))
        return badInput(fmt::format("--shards {}: the dump has only {} for training", options.trainingShards,
                                    counted(split.training.size(), "document")),
                        "use fewer shards, a smaller --test-fraction or a longer dump");
    if (options.testFraction > 0 && split.test.empty())
        progress.warn("no-test-documents",
                      "no test shards: the dump is so small that no document was selected for them");
    if (split.training.size() == 1 || split.test.size() == 1)
        progress.warn("lone-document",
                      "one kind of shard has a single document, so its rows have no random next sentences");
    return {};
}

Result<std::vector<PreparedDataset>> loadPublished(const PrepareOptions& options)
{
    std::vector<PreparedDataset> sets;
    for (const RowShape& shape : options.shapes) {
        const fs::path folder = options.folderOf(shape, options.out);
        TRAINYARD_TRY(Manifest manifest, Manifest::load(folder));
        sets.push_back({folder, std::move(manifest)});
    }
    return sets;
}

/// The data sets being created, their stages and shared state.
class Preparation {
public:
    Preparation(const PrepareOptions& options, const StagedFolder& folder, const RowTokenizer& tokenizer,
                const Corpus& corpus, Progress& progress, const CancelFlag& cancel)
        : m_options(options)
        , m_folder(folder)
        , m_tokenizer(tokenizer)
        , m_corpus(corpus)
        , m_progress(progress)
        , m_cancel(cancel)
        , m_split(splitDocuments(corpus.documents, options.testFraction, options.instances.seed))
    {
    }

    Result<std::vector<PreparedDataset>> run()
    {
        TRAINYARD_TRY_STATUS(checkSplit(m_options, m_split, m_progress));
        TRAINYARD_TRY(const Mixture mixture, mixtureOf(m_options, m_corpus.documents, m_split.training));
        m_sources = mixture.sources;
        m_progress.start(Stage::Instances,
                         (mixture.passes.ofFirst(m_split.training.size()) +
                          m_split.test.size() * static_cast<std::uint64_t>(m_options.dupeFactor)) *
                             m_options.shapes.size());
        // All rows before the first shard, so that too many shards are refused early.
        std::vector<std::unique_ptr<DatasetBuilder>> builders;
        for (const RowShape& shape : m_options.shapes) {
            TRAINYARD_TRY_STATUS(makeFolder(workOf(shape)));
            builders.push_back(std::make_unique<DatasetBuilder>(m_options, shape, m_corpus.documents,
                                                                m_tokenizer.vocabulary, workOf(shape),
                                                                m_progress, m_cancel));
            TRAINYARD_TRY_STATUS(builders.back()->makeRows(m_split, mixture.passes));
        }
        m_progress.finish(Stage::Instances);
        std::vector<PreparedDataset> sets;
        for (std::size_t i = 0; i < builders.size(); ++i) {
            const RowShape& shape = m_options.shapes[i];
            TRAINYARD_TRY(Manifest manifest, write(shape, *builders[i]));
            sets.push_back({m_options.folderOf(shape, m_options.out), std::move(manifest)});
        }
        m_progress.finish(Stage::Shards);
        if (m_options.extra.megatron)
            m_progress.finish(Stage::Megatron);
        if (m_options.extra.mds)
            m_progress.finish(Stage::Mds);
        return sets;
    }

private:
    /// For temporary files and notes.
    fs::path workOf(const RowShape& shape) const
    {
        return m_folder.scratch() / fmt::format("rows{}", shape.sequenceLength);
    }

    Result<Manifest> write(const RowShape& shape, DatasetBuilder& builder)
    {
        const fs::path content = m_options.folderOf(shape, m_folder.content());
        TRAINYARD_TRY_STATUS(makeFolder(content));
        TRAINYARD_TRY(const auto dumpNames, namesOfDumps(m_options));
        Manifest manifest = describe(m_options, shape, m_tokenizer, dumpNames);
        manifest.settings.format = m_corpus.note.format;
        manifest.counters = m_corpus.note.counters;
        manifest.sources = m_sources;
        TRAINYARD_TRY_STATUS(builder.writeShards(content, manifest));
        TRAINYARD_TRY_STATUS(writeExportFormats(m_options, m_corpus.documents, m_split,
                                                m_tokenizer.vocabulary, content, manifest, m_progress,
                                                m_cancel));
        TRAINYARD_TRY_STATUS(
            put(content, m_tokenizer.fileName, m_tokenizer.vocabulary.text(), workOf(shape)));
        for (const auto& [name, text] : m_tokenizer.smallFiles)
            TRAINYARD_TRY_STATUS(put(content, name, text, workOf(shape)));
        TRAINYARD_TRY_STATUS(put(content, Manifest::kFileName, manifest.toJson(), workOf(shape)));
        return manifest;
    }

    /// Writes via the work folder: leftovers of a killed process must not be published.
    static Status put(const fs::path& content, const std::string& name, const std::string& text,
                      const fs::path& work)
    {
        TRAINYARD_TRY_STATUS(writeFileAtomically(work / name, text));
        std::error_code error;
        fs::rename(work / name, content / name, error);
        if (error)
            return failed("cannot write " + (content / name).string() + ": " + error.message());
        return {};
    }

    const PrepareOptions& m_options;
    const StagedFolder& m_folder;
    const RowTokenizer& m_tokenizer;
    const Corpus& m_corpus;
    Progress& m_progress;
    const CancelFlag& m_cancel;
    DocumentSplit m_split;
    std::vector<MixedSource> m_sources;
};

void warnOfFewTokens(const PrepareOptions& options, const Vocabulary& vocabulary, Progress& progress)
{
    if (options.trainVocabulary > vocabulary.size())
        progress.warn("small-vocabulary", fmt::format("the text only yields {} word pieces, not {}",
                                                      vocabulary.size(), options.trainVocabulary));
    if (options.trainTokenizer > vocabulary.size())
        progress.warn("small-vocabulary", fmt::format("the text only yields {} tokens, not {}",
                                                      vocabulary.size(), options.trainTokenizer));
}

Result<std::vector<PreparedDataset>> fill(const PrepareOptions& options, const StagedFolder& folder,
                                          Progress& progress, const CancelFlag& cancel)
{
    TRAINYARD_TRY(const RowTokenizer tokenizer,
                  loadOrTrainTokenizer(options, folder.scratch(), progress, cancel));
    warnOfFewTokens(options, tokenizer.vocabulary, progress);
    TRAINYARD_TRY(const Corpus corpus,
                  readCorpus(options, tokenizer, folder.scratch() / "documents", progress, cancel));
    TRAINYARD_TRY(auto sets, Preparation(options, folder, tokenizer, corpus, progress, cancel).run());
    TRAINYARD_TRY_STATUS(cancel.check());
    return sets;
}

} // namespace

Result<std::vector<PreparedDataset>> prepareDataset(const PrepareOptions& options, Progress& progress,
                                                    const CancelFlag& cancel)
{
    TRAINYARD_TRY(const PrepareOptions expanded, withFilesOfFolders(options, progress));
    TRAINYARD_TRY(const PrepareOptions checked, checkedOptions(expanded));
    if (checked.task.isOn()) {
        TRAINYARD_TRY(PreparedDataset set, prepareTaskDataset(checked, progress, cancel));
        return std::vector{std::move(set)};
    }
    TRAINYARD_TRY_STATUS(checkGivenTokens(checked));
    const std::string job = jobText(checked);
    if (StagedFolder::finishPublished(checked.out, job))
        return loadPublished(checked);
    TRAINYARD_TRY_STATUS(checkFree(checked.out));
    // Checked before hours of work: no other process uses the folder, and the user may write there.
    auto folder = StagedFolder::create(checked.out, job);
    if (!folder.ok())
        return folder.error().in("--out");
    if (folder->isResumed())
        progress.warn("resumed", "resuming the work of an earlier run of the same job");
    if (folder->hasCleared())
        progress.warn("cleared", "removed the leftovers of a killed run with other options or files");
    auto sets = fill(checked, *folder, progress, cancel);
    if (sets.ok()) {
        TRAINYARD_TRY_STATUS(folder->publish());
    } else if (cancel.keepsWork()) {
        if (!canBeReadAgain(checked))
            return cancelled("stopped before the end; nothing was published");
        folder->keep();
    }
    return sets;
}

} // namespace trainyard

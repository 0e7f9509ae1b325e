#include "datasets/prepare/preparation.h"

#include "datasets/prepare/corpus_stages.h"
#include "datasets/prepare/dataset_builder.h"
#include "datasets/prepare/further_formats.h"
#include "datasets/prepare/option_names.h"
#include "datasets/prepare/staged_folder.h"
#include "engine/base/file.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr const char* kVocabularyFile = "vocab.txt";

Result<Vocabulary> loadOrTrain(const PrepareOptions& options, Progress& progress, const CancelFlag& cancel)
{
    if (options.trainVocabulary == 0)
        return Vocabulary::load(options.vocabulary);
    TRAINYARD_TRY(const std::string text, trainVocabularyOnDumps(options, progress, cancel));
    return Vocabulary::parse(text);
}

Manifest describe(const PrepareOptions& options, const Vocabulary& vocabulary)
{
    Manifest manifest;
    manifest.toolVersion = TRAINYARD_VERSION;
    manifest.sequenceLength = options.instances.sequenceLength;
    manifest.maxPredictions = options.instances.maxPredictions;
    manifest.vocabularySize = static_cast<int>(vocabulary.size());
    manifest.vocabularyFile = kVocabularyFile;
    manifest.vocabularySha256 = vocabulary.sha256();
    manifest.seed = options.instances.seed;
    for (const fs::path& dump : options.dumps)
        manifest.settings.dumps.push_back(dump.filename());
    manifest.settings.corpus = options.corpus;
    manifest.settings.keepHeadings = options.keepHeadings;
    manifest.settings.keepLists = options.keepLists;
    manifest.settings.objective = nameIn(kObjectiveNames, options.instances.objective);
    manifest.settings.nextSentence = nameIn(kNextSentenceNames, options.instances.nextSentence);
    manifest.settings.wholeWords = options.instances.wholeWords;
    manifest.settings.provenance = options.extra.provenance;
    manifest.settings.cased = options.cased;
    manifest.settings.tokenizerProfile = unicodeTables(options.profile)->profile;
    manifest.settings.dupeFactor = options.dupeFactor;
    manifest.settings.maskedShare = options.instances.maskedShare;
    manifest.settings.shortSequenceShare = options.instances.shortSequenceShare;
    manifest.settings.testFraction = options.testFraction;
    return manifest;
}

Status fill(const StagedFolder& folder, const PrepareOptions& options, Manifest& manifest,
            const Vocabulary& vocabulary, Progress& progress, const CancelFlag& cancel)
{
    TRAINYARD_TRY(DocumentStore documents, DocumentStore::create(folder.scratch() / "documents"));
    const WordPiece tokenizer(vocabulary, *unicodeTables(options.profile), options.cased);
    TRAINYARD_TRY(manifest.settings.format, tokenizeDumps(options, tokenizer, progress, cancel, documents));
    DatasetBuilder builder(options, documents, vocabulary, folder.scratch(), progress, cancel);
    TRAINYARD_TRY_STATUS(builder.build(folder.content(), manifest));
    TRAINYARD_TRY_STATUS(
        writeFurtherFormats(options, documents, vocabulary, folder.content(), manifest, cancel));
    manifest.counters = progress.counters();
    TRAINYARD_TRY_STATUS(writeFileAtomically(folder.content() / kVocabularyFile, vocabulary.text()));
    TRAINYARD_TRY_STATUS(writeFileAtomically(folder.content() / Manifest::kFileName, manifest.toJson()));
    return cancel.check();
}

} // namespace

Result<Manifest> prepareDataset(const PrepareOptions& options, Progress& progress, const CancelFlag& cancel)
{
    TRAINYARD_TRY(const PrepareOptions checked, options.checked());
    // Before hours of work: nobody else is at work there, and this user may write there.
    auto folder = StagedFolder::create(checked.out);
    if (!folder.ok())
        return folder.error().in("--out");
    TRAINYARD_TRY(const Vocabulary vocabulary, loadOrTrain(checked, progress, cancel));
    Manifest manifest = describe(checked, vocabulary);
    TRAINYARD_TRY_STATUS(fill(*folder, checked, manifest, vocabulary, progress, cancel));
    TRAINYARD_TRY_STATUS(folder->publish());
    return manifest;
}

} // namespace trainyard

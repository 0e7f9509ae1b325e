#include "datasets/prepare/export_formats.h"

#include "datasets/exporters/mds_export.h"
#include "datasets/exporters/megatron_export.h"
#include "datasets/prepare/document_split.h"
#include "datasets/prepare/output_place.h"
#include "engine/base/file.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr const char* kMegatronFolder = "megatron";
constexpr const char* kMdsFolder = "mds";

using Entries = std::vector<ExportEntry>;

void list(Entries entries, const std::string& folder, Manifest& manifest)
{
    for (ExportEntry& entry : entries) {
        entry.file = folder + "/" + entry.file;
        manifest.exports.push_back(std::move(entry));
    }
}

MegatronExport megatronSettings(const PrepareOptions& options, const Vocabulary& vocabulary, bool training)
{
    MegatronExport settings;
    settings.unit = options.instances.objective == Objective::Tokens ? MegatronExport::Unit::Document
                                                                     : MegatronExport::Unit::Sentence;
    settings.name = options.corpus + (training ? "_training" : "_test");
    settings.vocabularySize = vocabulary.size();
    settings.endOfDocument = vocabulary.special().documentEnd;
    return settings;
}

Status writeMegatron(const PrepareOptions& options, const DocumentStore& documents,
                     const DocumentSplit& split, const Vocabulary& vocabulary, const fs::path& folder,
                     Manifest& manifest, const PieceDone& pieceDone)
{
    TRAINYARD_TRY_STATUS(makeEmptyFolder(folder / kMegatronFolder));
    for (const bool training : {true, false}) {
        const auto& ordinals = training ? split.training : split.test;
        if (ordinals.empty())
            continue;
        TRAINYARD_TRY(Entries entries,
                      exportMegatron(megatronSettings(options, vocabulary, training), documents, ordinals,
                                     folder / kMegatronFolder, pieceDone));
        list(std::move(entries), kMegatronFolder, manifest);
    }
    return {};
}

Status writeMds(const fs::path& folder, Manifest& manifest, const PieceDone& pieceDone)
{
    TRAINYARD_TRY_STATUS(makeEmptyFolder(folder / kMdsFolder));
    TRAINYARD_TRY(Entries entries,
                  exportMds(folder, manifest.shards, {manifest.sequenceLength, manifest.maxPredictions},
                            folder / kMdsFolder, pieceDone));
    list(std::move(entries), kMdsFolder, manifest);
    return {};
}

} // namespace

Status writeExportFormats(const PrepareOptions& options, const DocumentStore& documents,
                          const DocumentSplit& split, const Vocabulary& vocabulary, const fs::path& folder,
                          Manifest& manifest, Progress& progress, const CancelFlag& cancel)
{
    const auto advancing = [&](Stage stage) -> PieceDone {
        return [&progress, &cancel, stage](std::uint64_t count) {
            progress.advance(stage, count);
            return cancel.check();
        };
    };
    if (options.extra.megatron) {
        progress.extend(Stage::Megatron, documents.size());
        TRAINYARD_TRY_STATUS(writeMegatron(options, documents, split, vocabulary, folder, manifest,
                                           advancing(Stage::Megatron)));
    }
    if (options.extra.mds) {
        progress.extend(Stage::Mds, manifest.trainingRows() + manifest.testRows());
        TRAINYARD_TRY_STATUS(writeMds(folder, manifest, advancing(Stage::Mds)));
    }
    return {};
}

} // namespace trainyard

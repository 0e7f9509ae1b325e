#include "engine/checkpoint/hugging_face/conversion_commands.h"

#include "engine/base/standard_streams.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/start_choice.h"
#include "engine/checkpoint/hugging_face/hugging_face_export.h"
#include "engine/checkpoint/hugging_face/hugging_face_model.h"
#include "engine/checkpoint/training_state.h"
#include "engine/nn/language_model.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

// Either the checkpoint itself, or the folder whose newest one is meant.
Result<fs::path> checkpointAt(const fs::path& path)
{
    std::error_code ignored;
    if (fs::exists(path / kManifestName, ignored))
        return path;
    TRAINYARD_TRY(const StartChoice start, chooseStart(path));
    if (!start.checkpoint)
        return badInput(path.string() + ": no checkpoint found",
                        "give a step-... folder, or a folder that contains some");
    if (!start.damaged.empty())
        printNotice("exporting " + start.text() + '\n');
    return path / start.checkpoint->text();
}

} // namespace

Status runImport(const ImportOptions& options)
{
    TRAINYARD_TRY(const HuggingFaceModel imported, HuggingFaceModel::open(options.huggingFace));
    LanguageModel model(imported.spec(), ComputeType::Float32);
    TRAINYARD_TRY_STATUS(imported.load(model.parameters()));
    TrainingPosition position;
    position.spec.model = imported.spec();
    return saveCheckpoint(options.checkpoint, TrainingState(model.parameters()), position, {});
}

Status runExport(const ExportOptions& options)
{
    TRAINYARD_TRY(const fs::path folder, checkpointAt(options.checkpoint));
    TRAINYARD_TRY(CheckpointReader reader, CheckpointReader::open(folder));
    const ModelSpec& spec = reader.manifest().position.spec.model;
    LanguageModel model(spec, ComputeType::Float32);
    TRAINYARD_TRY_STATUS(TrainingState(model.parameters()).load(reader));
    return writeHuggingFaceFolder(options.huggingFace, spec, model.parameters(), options.maxShard);
}

} // namespace trainyard

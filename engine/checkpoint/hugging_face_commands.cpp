#include "engine/checkpoint/hugging_face.h"
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
    TRAINYARD_TRY(const auto latest, latestCheckpoint(path));
    if (!latest)
        return badInput(path.string() + ": there is no checkpoint here",
                        "name a step-... folder, or a folder of checkpoints with a file `latest`");
    return *latest;
}

} // namespace

Status runImport(const ImportOptions& options)
{
    TRAINYARD_TRY(const ModelSpec model, readHuggingFaceConfig(options.huggingFace));
    LanguageModel bert(model, ComputeType::Float32);
    TRAINYARD_TRY_STATUS(loadHuggingFaceWeights(options.huggingFace, bert.parameters()));
    TrainingPosition position;
    position.spec.model = model;
    return saveCheckpoint(options.checkpoint, TrainingState(bert.parameters()), position, 0);
}

Status runExport(const ExportOptions& options)
{
    TRAINYARD_TRY(const fs::path folder, checkpointAt(options.checkpoint));
    TRAINYARD_TRY(CheckpointReader reader, CheckpointReader::open(folder));
    const ModelSpec& model = reader.manifest().position.spec.model;
    LanguageModel bert(model, ComputeType::Float32);
    TRAINYARD_TRY_STATUS(TrainingState(bert.parameters()).load(reader));
    return writeHuggingFaceFolder(options.huggingFace, model, bert.parameters());
}

} // namespace trainyard

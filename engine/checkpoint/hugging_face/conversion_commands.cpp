#include "engine/checkpoint/hugging_face/conversion_commands.h"

#include "engine/checkpoint/format/checkpoint_reader.h"
#include "engine/checkpoint/hugging_face/adapter_folder.h"
#include "engine/checkpoint/hugging_face/hugging_face_export.h"
#include "engine/checkpoint/hugging_face/hugging_face_model.h"
#include "engine/checkpoint/training_state.h"
#include "engine/checkpoint/weights/adapter_config.h"
#include "engine/checkpoint/weights/find_weights.h"
#include "engine/nn/language_model.h"

namespace trainyard {

namespace {

/// Where the base model was is of no use elsewhere; what it is called often is.
std::string baseName(const InitSpec& init)
{
    const std::filesystem::path begun(init.path);
    if (!isAdapterFolder(begun))
        return begun.filename().string();
    const auto config = AdapterConfig::read(begun / kAdapterConfigName);
    return config.ok() ? std::filesystem::path(config->base).filename().string() : std::string();
}

/// Of weights that were imported and not trained since the type that they came in.
ComputeType typeOfImport(const RunSpec& run)
{
    const bool isRun = run.dataset.isMix() || !run.dataset.path.empty();
    return isRun ? ComputeType::Float32 : run.precision.compute;
}

} // namespace

Status runImport(const ImportOptions& options)
{
    TRAINYARD_TRY(const HuggingFaceModel imported, HuggingFaceModel::open(options.huggingFace));
    const ComputeType stored = imported.storedType();
    const bool isDouble = stored == ComputeType::Float64;
    LanguageModel model(imported.spec(), isDouble ? ComputeType::Float64 : ComputeType::Float32);
    TRAINYARD_TRY_STATUS(imported.load(model.parameters()));
    TrainingPosition position;
    position.spec.model = imported.spec();
    position.spec.precision.compute = stored; // what an export gives back
    position.fusedExperts = imported.fusesExperts();
    return saveCheckpoint(options.checkpoint, TrainingState(model.parameters()), position, {});
}

Status runExport(const ExportOptions& options)
{
    TRAINYARD_TRY(const FoundWeights found, findCheckpoint(options.checkpoint));
    TRAINYARD_TRY(CheckpointReader reader, CheckpointReader::open(found.folder));
    const RunSpec& run = reader.manifest().position.spec;
    const ModelSpec& spec = run.model;
    TRAINYARD_TRY_STATUS(checkHuggingFaceFolder(options.huggingFace, spec)); // before reading everything
    if (options.adaptersAlone && !spec.lora.isOn())
        return badInput("the model was trained without low-rank adapters", "export its weights");
    FolderExtras extras = options.extras;
    extras.type = options.type.value_or(typeOfImport(run));
    extras.fusesExperts = reader.manifest().position.fusedExperts;
    const bool isDouble = extras.type == ComputeType::Float64;
    LanguageModel model(spec, isDouble ? ComputeType::Float64 : ComputeType::Float32);
    TRAINYARD_TRY_STATUS(TrainingState(model.parameters()).load(reader));
    if (options.adaptersAlone)
        return writeAdapterFolder(options.huggingFace, spec, model.parameters(), baseName(run.init), extras);
    return writeHuggingFaceFolder(options.huggingFace, spec, model.parameters(), options.maxShard, extras);
}

} // namespace trainyard

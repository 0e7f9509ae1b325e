#include "engine/checkpoint/hugging_face/conversion_commands.h"

#include "engine/checkpoint/format/checkpoint_reader.h"
#include "engine/checkpoint/hugging_face/hugging_face_export.h"
#include "engine/checkpoint/hugging_face/hugging_face_model.h"
#include "engine/checkpoint/training_state.h"
#include "engine/checkpoint/weights/find_weights.h"
#include "engine/nn/language_model.h"

namespace trainyard {

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
    TRAINYARD_TRY(const FoundWeights found, findCheckpoint(options.checkpoint));
    TRAINYARD_TRY(CheckpointReader reader, CheckpointReader::open(found.folder));
    const ModelSpec& spec = reader.manifest().position.spec.model;
    TRAINYARD_TRY_STATUS(checkHuggingFaceFolder(options.huggingFace, spec)); // before reading everything
    LanguageModel model(spec, ComputeType::Float32);
    TRAINYARD_TRY_STATUS(TrainingState(model.parameters()).load(reader));
    return writeHuggingFaceFolder(options.huggingFace, spec, model.parameters(), options.maxShard,
                                  options.extras);
}

} // namespace trainyard

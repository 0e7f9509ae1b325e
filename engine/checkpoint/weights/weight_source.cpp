#include "engine/checkpoint/weights/weight_source.h"

#include "engine/checkpoint/weights/adapter_config.h"
#include "engine/checkpoint/weights/adapter_weights.h"
#include "engine/checkpoint/weights/checkpoint_weights.h"
#include "engine/checkpoint/weights/hugging_face_weights.h"

namespace trainyard {

Result<std::unique_ptr<WeightSource>> openWeights(const std::filesystem::path& folder)
{
    if (isAdapterFolder(folder))
        return AdapterWeights::open(folder);
    std::error_code ignored;
    if (std::filesystem::exists(folder / kConfigName, ignored))
        return HuggingFaceWeights::open(folder);
    return CheckpointWeights::open(folder);
}

} // namespace trainyard

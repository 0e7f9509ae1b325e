#include "engine/checkpoint/hugging_face/hugging_face_export.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/checkpoint/format/safetensors.h"
#include "engine/checkpoint/hugging_face/format/architecture.h"
#include "engine/checkpoint/hugging_face/hugging_face_model.h"
#include "engine/checkpoint/tensor_views.h"
#include "engine/nn/parameters/parameter_store.h"

namespace trainyard {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

/// A tensor of the export: a parameter under one of its names.
struct ExportedTensor {
    std::string name;
    const Parameter* parameter = nullptr;

    Bytes bytes() const { return static_cast<Bytes>(parameter->count) * sizeof(float); }
};

using Shard = std::vector<ExportedTensor>;

std::vector<ExportedTensor> exportedTensors(const ModelSpec& model, const ParameterStore& parameters)
{
    const Architecture& architecture = architectureOf(model);
    std::vector<ExportedTensor> tensors;
    for (const Parameter& parameter : parameters.parameters()) {
        tensors.push_back({parameter.spec.name, &parameter});
        const std::string second = architecture.secondName(parameter.spec.name, model);
        if (!second.empty())
            tensors.push_back({second, &parameter});
    }
    return tensors;
}

std::vector<Shard> intoShards(const std::vector<ExportedTensor>& tensors, Bytes maxShard)
{
    std::vector<Shard> shards(1);
    Bytes filled = 0;
    for (const ExportedTensor& tensor : tensors) {
        if (!shards.back().empty() && filled + tensor.bytes() > maxShard) {
            shards.emplace_back();
            filled = 0;
        }
        shards.back().push_back(tensor);
        filled += tensor.bytes();
    }
    return shards;
}

Status writeShard(const fs::path& file, const ModelSpec& model, const Shard& shard)
{
    std::vector<at::Tensor> values; // alive while they are written
    std::vector<TensorBytes> tensors;
    for (const ExportedTensor& tensor : shard) {
        values.push_back(
            huggingFaceLayout(model, tensor.parameter->spec, tensor.parameter->master.to(at::kFloat)));
        tensors.push_back(bytesOf(tensor.name, values.back()));
    }
    const auto written = writeSafetensors(file, tensors, {{"format", "pt"}});
    return written.ok() ? Status() : Status(written.error());
}

std::string shardName(std::size_t index, std::size_t count)
{
    return fmt::format("model-{:05}-of-{:05}.safetensors", index + 1, count);
}

std::string indexOf(const std::vector<Shard>& shards)
{
    Json fileOf = Json::object();
    Bytes total = 0;
    for (std::size_t i = 0; i < shards.size(); ++i) {
        for (const ExportedTensor& tensor : shards[i]) {
            fileOf[tensor.name] = shardName(i, shards.size());
            total += tensor.bytes();
        }
    }
    return Json{{"metadata", {{"total_size", total}}}, {"weight_map", fileOf}}.dump(2) + "\n";
}

Status writeWeights(const fs::path& folder, const ModelSpec& model, const std::vector<Shard>& shards)
{
    if (shards.size() == 1)
        return writeShard(folder / kWeightsName, model, shards.front());
    for (std::size_t i = 0; i < shards.size(); ++i)
        TRAINYARD_TRY_STATUS(writeShard(folder / shardName(i, shards.size()), model, shards[i]));
    return writeFileAtomically(folder / kWeightsIndexName, indexOf(shards));
}

} // namespace

at::Tensor huggingFaceLayout(const ModelSpec& model, const ParameterSpec& parameter, const at::Tensor& values)
{
    return architectureOf(model).isTransposed(parameter.name) ? values.t().contiguous() : values;
}

std::string huggingFaceName(const ModelSpec& model, const std::string& parameter)
{
    const std::string second = architectureOf(model).secondName(parameter, model);
    return second.empty() ? parameter : second;
}

Status writeHuggingFaceFolder(const fs::path& folder, const ModelSpec& model,
                              const ParameterStore& parameters, Bytes maxShard)
{
    if (fs::exists(folder))
        return badInput(folder.string() + " exists already", "choose another folder, or remove it first");
    const Architecture& architecture = architectureOf(model);
    TRAINYARD_TRY_STATUS(architecture.requireExportable(model));
    const std::vector<Shard> shards = intoShards(exportedTensors(model, parameters), maxShard);
    const std::string config = architecture.config(model).dump(2) + "\n";
    return publishAtomically(folder, [&](const fs::path& temporary) -> Status {
        TRAINYARD_TRY_STATUS(makeFolder(temporary));
        TRAINYARD_TRY_STATUS(writeFileAtomically(temporary / kConfigName, config));
        return writeWeights(temporary, model, shards);
    });
}

} // namespace trainyard

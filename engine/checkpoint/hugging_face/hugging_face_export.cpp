#include "engine/checkpoint/hugging_face/hugging_face_export.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/checkpoint/format/watched_writing.h"
#include "engine/checkpoint/hugging_face/adapter_folder.h"
#include "engine/checkpoint/hugging_face/format/architecture.h"
#include "engine/checkpoint/hugging_face/format/expert_tensors.h"
#include "engine/checkpoint/hugging_face/hugging_face_model.h"
#include "engine/checkpoint/tensor_views.h"
#include "engine/model/adapter_names.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

/// A tensor of the export: a parameter under one of its names, or some of its rows.
struct ExportedTensor {
    std::string name;
    const Parameter* parameter = nullptr;
    Bytes elementBytes = 0;
    std::int64_t firstRow = 0;
    std::int64_t rows = 0; ///< 0: all

    Bytes bytes() const
    {
        const std::int64_t width = parameter->count / parameter->spec.shape.front();
        return static_cast<Bytes>(rows > 0 ? rows * width : parameter->count) * elementBytes;
    }
};

using Shard = std::vector<ExportedTensor>;

std::vector<ExportedTensor> exportedTensors(const ModelSpec& model, const ParameterStore& parameters,
                                            const FolderExtras& extras)
{
    const auto element = static_cast<Bytes>(elementSize(extras.type));
    const Architecture& architecture = architectureOf(model);
    std::vector<ExportedTensor> tensors;
    for (const Parameter& parameter : parameters.parameters()) {
        if (isOfAdapter(parameter.spec.name))
            continue; // added to the weight of its product
        const auto separate =
            extras.fusesExperts ? std::vector<RowsTensor>() : separateTensors(parameter.spec.name, model);
        for (const RowsTensor& tensor : separate)
            tensors.push_back({tensor.name, &parameter, element, tensor.firstRow, tensor.rows});
        if (!separate.empty())
            continue;
        tensors.push_back({parameter.spec.name, &parameter, element});
        const std::string second = architecture.secondName(parameter.spec.name, model);
        if (!second.empty())
            tensors.push_back({second, &parameter, element});
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

using BeforeTensor = std::function<Status(const TensorBytes&)>;

Status writeShard(const fs::path& file, const ModelSpec& model, const ParameterStore& parameters,
                  const Shard& shard, ComputeType type, const BeforeTensor& beforeTensor)
{
    std::vector<at::Tensor> values; // alive while they are written
    std::vector<TensorBytes> tensors;
    for (const ExportedTensor& tensor : shard) {
        const at::Tensor weight = mergedWeight(model, parameters, *tensor.parameter);
        const at::Tensor shaped = tensor.rows > 0 ? weight.narrow(0, tensor.firstRow, tensor.rows)
                                                  : huggingFaceLayout(model, tensor.parameter->spec, weight);
        values.push_back(shaped.to(computeScalarType(type)));
        tensors.push_back(bytesOf(tensor.name, values.back()));
    }
    const auto written = writeSafetensorsWatched(file, tensors, {{"format", "pt"}}, beforeTensor);
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

Bytes bytesOf(const std::vector<Shard>& shards)
{
    Bytes total = 0;
    for (const Shard& shard : shards) {
        for (const ExportedTensor& tensor : shard)
            total += tensor.bytes();
    }
    return total;
}

BeforeTensor progressOf(const std::vector<Shard>& shards, const FolderExtras& extras)
{
    if (!extras.onProgress)
        return [](const TensorBytes&) { return Status(); };
    return [&extras, total = bytesOf(shards), written = Bytes{0}](const TensorBytes& tensor) mutable {
        const Status goesOn = extras.onProgress(written, total);
        written += tensor.bytes.size();
        return goesOn;
    };
}

Status writeWeights(const fs::path& folder, const ModelSpec& model, const ParameterStore& parameters,
                    const std::vector<Shard>& shards, ComputeType type, const BeforeTensor& beforeTensor)
{
    if (shards.size() == 1)
        return writeShard(folder / kWeightsName, model, parameters, shards.front(), type, beforeTensor);
    for (std::size_t i = 0; i < shards.size(); ++i)
        TRAINYARD_TRY_STATUS(writeShard(folder / shardName(i, shards.size()), model, parameters, shards[i],
                                        type, beforeTensor));
    return writeFileAtomically(folder / kWeightsIndexName, indexOf(shards));
}

std::string configOf(const ModelSpec& model, const FolderExtras& extras)
{
    Json config = architectureOf(model).config(model, extras.labels);
    config["torch_dtype"] = nameOf(extras.type);
    if (extras.endToken && config.contains("eos_token_id"))
        config["eos_token_id"] = *extras.endToken;
    return config.dump(2) + "\n";
}

} // namespace

at::Tensor huggingFaceLayout(const ModelSpec& model, const ParameterSpec& parameter, const at::Tensor& values)
{
    const at::Tensor shaped = values.view(huggingFaceShape(parameter.name, parameter.shape, model));
    return architectureOf(model).isTransposed(parameter.name) ? shaped.t().contiguous() : shaped;
}

std::string huggingFaceName(const ModelSpec& model, const std::string& parameter)
{
    const std::string second = architectureOf(model).secondName(parameter, model);
    return second.empty() ? parameter : second;
}

Status checkHuggingFaceFolder(const fs::path& folder, const ModelSpec& model)
{
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(folder, ignored)))
        return badInput(folder.string() + " exists already", "choose another folder, or remove it first");
    return architectureOf(model).requireExportable(model);
}

Status writeHuggingFaceFolder(const fs::path& folder, const ModelSpec& model,
                              const ParameterStore& parameters, Bytes maxShard, const FolderExtras& extras)
{
    TRAINYARD_TRY_STATUS(checkHuggingFaceFolder(folder, model));
    const std::vector<Shard> shards = intoShards(exportedTensors(model, parameters, extras), maxShard);
    return publishAtomically(folder, [&](const fs::path& temporary) -> Status {
        TRAINYARD_TRY_STATUS(makeFolder(temporary));
        TRAINYARD_TRY_STATUS(writeFileAtomically(temporary / kConfigName, configOf(model, extras)));
        for (const auto& [name, content] : extras.files)
            TRAINYARD_TRY_STATUS(writeFileAtomically(temporary / name, content));
        return writeWeights(temporary, model, parameters, shards, extras.type, progressOf(shards, extras));
    });
}

} // namespace trainyard

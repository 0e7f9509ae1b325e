#include <array>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/checkpoint/hugging_face.h"
#include "engine/checkpoint/hugging_face_files.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/checkpoint/tensor_views.h"
#include "engine/nn/parameter_store.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

// Copies of other tensors, and numbers that follow from the shape: nothing to load.
constexpr std::array kRedundant{"cls.predictions.decoder.weight", "cls.predictions.decoder.bias",
                                "bert.embeddings.position_ids"};

bool isRedundant(const std::string& name)
{
    return std::ranges::find(kRedundant, name) != kRedundant.end();
}

// Checkpoints converted from TensorFlow call a layer norm's weight gamma and its bias beta.
std::string modernName(std::string name)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kSuffixes{
        {{".LayerNorm.gamma", ".LayerNorm.weight"}, {".LayerNorm.beta", ".LayerNorm.bias"}}};
    for (const auto& [old, modern] : kSuffixes) {
        if (name.ends_with(old))
            return name.replace(name.size() - old.size(), old.size(), modern);
    }
    return name;
}

Result<std::vector<fs::path>> weightFiles(const fs::path& folder)
{
    const fs::path index = folder / kWeightsIndexName;
    std::error_code ignored;
    if (fs::exists(folder / kWeightsName, ignored) || !fs::exists(index, ignored))
        return std::vector{folder / kWeightsName};
    TRAINYARD_TRY(const std::string text, readFile(index));
    try {
        std::set<fs::path> files;
        const auto map =
            nlohmann::json::parse(text).at("weight_map").get<std::map<std::string, std::string>>();
        for (const auto& [tensor, file] : map) {
            if (!isPlainName(file))
                return badInput(fmt::format("{}: \"{}\" is not the name of a file", index.string(), file));
            files.insert(folder / file);
        }
        return std::vector(files.begin(), files.end());
    } catch (const nlohmann::json::exception& error) {
        return badInput(fmt::format("{}: {}", index.string(), error.what()));
    }
}

Status loadTensor(const TensorBytes& tensor, ParameterStore& parameters, std::set<std::string>& loaded)
{
    const std::string name = modernName(tensor.name);
    if (isRedundant(name))
        return {};
    if (!parameters.contains(name))
        return badInput(fmt::format("tensor {} is not part of BertForPreTraining", tensor.name));
    const at::Tensor& master = parameters.parameter(name).master;
    if (tensor.shape != master.sizes().vec())
        return badInput(fmt::format("tensor {} has the shape [{}], but config.json makes it [{}]",
                                    tensor.name, fmt::join(tensor.shape, ", "),
                                    fmt::join(master.sizes(), ", ")));
    master.copy_(tensorFrom(tensor));
    loaded.insert(name);
    return {};
}

Status loadFile(const fs::path& path, ParameterStore& parameters, std::set<std::string>& loaded)
{
    TRAINYARD_TRY(const SafetensorsFile file, SafetensorsFile::open(path));
    for (const TensorBytes& tensor : file.tensors()) {
        const Status status = loadTensor(tensor, parameters, loaded);
        if (!status.ok())
            return status.error().in(path.string());
    }
    return {};
}

} // namespace

Status loadHuggingFaceWeights(const fs::path& folder, ParameterStore& parameters)
{
    TRAINYARD_TRY(const auto files, weightFiles(folder));
    std::set<std::string> loaded;
    for (const fs::path& file : files)
        TRAINYARD_TRY_STATUS(loadFile(file, parameters, loaded));
    for (const Parameter& parameter : parameters.parameters()) {
        if (!loaded.contains(parameter.spec.name))
            return badInput(fmt::format("{}: tensor {} is missing", folder.string(), parameter.spec.name),
                            "export the model as BertForPreTraining, with both heads");
    }
    parameters.refreshWorkingCopy();
    return {};
}

Status writeHuggingFaceFolder(const fs::path& folder, const ModelSpec& model,
                              const ParameterStore& parameters)
{
    if (fs::exists(folder))
        return badInput(folder.string() + " exists already", "choose another folder, or remove it first");
    std::vector<at::Tensor> values; // keep the float32 copies alive while they are written
    std::vector<TensorBytes> tensors;
    for (const Parameter& parameter : parameters.parameters()) {
        values.push_back(parameter.master.to(at::kFloat));
        tensors.push_back(bytesOf(parameter.spec.name, values.back()));
    }
    return publishAtomically(folder, [&](const fs::path& temporary) -> Status {
        TRAINYARD_TRY_STATUS(makeFolder(temporary));
        TRAINYARD_TRY_STATUS(writeFileAtomically(temporary / kConfigName, huggingFaceConfig(model)));
        const auto written = writeSafetensors(temporary / kWeightsName, tensors, {{"format", "pt"}});
        return written.ok() ? Status() : Status(written.error());
    });
}

} // namespace trainyard

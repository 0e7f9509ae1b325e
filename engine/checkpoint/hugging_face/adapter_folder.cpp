#include "engine/checkpoint/hugging_face/adapter_folder.h"

#include <cmath>

#include <ATen/ops/mm.h>
#include <nlohmann/json.hpp>

#include "engine/base/check.h"
#include "engine/base/file.h"
#include "engine/checkpoint/format/safetensors.h"
#include "engine/checkpoint/hugging_face/hugging_face_export.h"
#include "engine/checkpoint/tensor_views.h"
#include "engine/model/adapter_names.h"
#include "engine/model/model_family.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/spec/lora_targets.h"

namespace trainyard {

namespace {

namespace fs = std::filesystem;
using AdapterJson = nlohmann::ordered_json;

constexpr std::string_view kWeightSuffix = ".weight";
constexpr const char* kPeftPrefix = "base_model.model."; // PEFT's own classes around the model

/// The names of PEFT's classes that prepare a model for a task; null: no particular one.
AdapterJson taskType(const ModelSpec& model)
{
    switch (model.task.kind) {
    case TaskKind::Classify:
    case TaskKind::Regress:
        return "SEQ_CLS";
    case TaskKind::Tag:
        return "TOKEN_CLS";
    case TaskKind::Answer:
        return "QUESTION_ANS";
    case TaskKind::None:
    case TaskKind::Complete:
        break;
    }
    return model.isDecoder() ? AdapterJson("CAUSAL_LM") : AdapterJson();
}

/// PEFT looks for targets in the whole model, and would find "dense" in the heads of BERT too: names of
/// products instead.
std::vector<std::string> peftTargets(const ModelSpec& model)
{
    std::vector<std::string> targets;
    for (const std::string& target : loraTargets(model)) {
        if (!isTarget(target, "pooler.dense")) {
            targets.push_back(target);
            continue;
        }
        for (const AdaptableProduct& product : adaptableProducts(model)) {
            if (isTarget(target, product.name))
                targets.emplace_back(product.name);
        }
    }
    return targets;
}

AdapterJson wholeIfPossible(double number)
{
    return number == std::floor(number) ? AdapterJson(static_cast<std::int64_t>(number))
                                        : AdapterJson(number);
}

std::string adapterConfig(const ModelSpec& model, const std::string& base)
{
    const AdapterJson head =
        model.task.hasHead() ? AdapterJson::array({taskHeadNames(model).ownModule()}) : AdapterJson();
    const AdapterJson config{
        {"alpha_pattern", AdapterJson::object()},
        {"base_model_name_or_path", base.empty() ? AdapterJson() : AdapterJson(base)},
        {"bias", "none"},
        {"fan_in_fan_out", model.family == ModelFamily::Gpt}, // GPT-2's products are stored transposed
        {"inference_mode", true},
        {"init_lora_weights", true},
        {"lora_alpha", wholeIfPossible(model.lora.alpha)},
        {"lora_dropout", model.lora.dropout},
        {"modules_to_save", head},
        {"peft_type", "LORA"},
        {"r", model.lora.rank},
        {"rank_pattern", AdapterJson::object()},
        {"target_modules", peftTargets(model)},
        {"task_type", taskType(model)},
        {"use_rslora", false}};
    return config.dump(2) + "\n";
}

Status writeAdapters(const fs::path& file, const ParameterStore& parameters)
{
    std::vector<at::Tensor> values; // alive while they are written
    std::vector<TensorBytes> tensors;
    for (const Parameter& parameter : parameters.parameters()) {
        if (parameter.spec.isFrozen)
            continue;
        values.push_back(parameter.master.to(at::kFloat));
        tensors.push_back(bytesOf(kPeftPrefix + parameter.spec.name, values.back()));
    }
    const auto written = writeSafetensors(file, tensors, {{"format", "pt"}});
    return written.ok() ? Status() : Status(written.error());
}

} // namespace

at::Tensor mergedWeight(const ModelSpec& model, const ParameterStore& parameters, const Parameter& parameter)
{
    const at::Tensor weight = parameter.master.to(at::kFloat);
    const std::string& name = parameter.spec.name;
    if (!name.ends_with(kWeightSuffix))
        return weight;
    const AdapterNames names = adapterNames(name.substr(0, name.size() - kWeightSuffix.size()));
    if (!parameters.contains(names.down))
        return weight;
    const at::Tensor product = at::mm(parameters.parameter(names.up).master.to(at::kFloat),
                                      parameters.parameter(names.down).master.to(at::kFloat));
    return weight + product * model.lora.scale();
}

Status writeAdapterFolder(const fs::path& folder, const ModelSpec& model, const ParameterStore& parameters,
                          const std::string& base, const FolderExtras& extras)
{
    TRAINYARD_CHECK(model.lora.isOn());
    TRAINYARD_TRY_STATUS(checkHuggingFaceFolder(folder, model));
    return publishAtomically(folder, [&](const fs::path& temporary) -> Status {
        TRAINYARD_TRY_STATUS(makeFolder(temporary));
        TRAINYARD_TRY_STATUS(
            writeFileAtomically(temporary / "adapter_config.json", adapterConfig(model, base)));
        for (const auto& [name, content] : extras.files)
            TRAINYARD_TRY_STATUS(writeFileAtomically(temporary / name, content));
        return writeAdapters(temporary / "adapter_model.safetensors", parameters);
    });
}

} // namespace trainyard

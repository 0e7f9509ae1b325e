#include "engine/checkpoint/hugging_face/format/architecture.h"

#include <fmt/format.h>

#include "engine/base/check.h"
#include "engine/checkpoint/hugging_face/format/table_architecture.h"
#include "engine/spec/families/family_table.h"
#include "engine/spec/field_changes.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

const std::vector<const Architecture*>& all()
{
    static const auto tables = [] {
        std::vector<std::unique_ptr<const Architecture>> made;
        for (std::size_t family = 0; family < familyTables().size(); ++family) {
            if (!familyTables()[family]->huggingFace.modelType.empty())
                made.push_back(makeTableArchitecture(static_cast<ModelFamily>(family)));
        }
        return made;
    }();
    static const auto architectures = [] {
        std::vector<const Architecture*> all{&bertArchitecture(), &gpt2Architecture()};
        for (const auto& table : tables)
            all.push_back(table.get());
        return all;
    }();
    return architectures;
}

/// What a configuration says of a model: the rest is not Hugging Face's, or of training alone.
ModelSpec describedPart(ModelSpec model)
{
    const ModelSpec none;
    model.preset = none.preset;
    model.dropout = none.dropout;
    model.attentionDropout = none.attentionDropout;
    model.lora = none.lora;
    model.experts.balanceLoss = none.experts.balanceLoss;
    model.experts.zLoss = none.experts.zLoss;
    if (model.experts.isOn())
        model.experts.width = model.expertWidth();
    model.task = none.task;
    // Said both ways.
    model.keyValueHeads = model.keyHeads();
    model.headWidth = model.headSize();
    if (model.queryScaleWidth == 0)
        model.queryScaleWidth = model.headSize();
    if (model.rope.windowBase == 0)
        model.rope.windowBase = model.rope.base;
    if (model.window == 0) {
        model.globalEvery = 0;
        model.globalFirst = 0;
        model.globalLeading = 0;
    }
    return model;
}

/// "norm_kind is layer_norm", of the first field that differs from what a configuration can say.
std::string firstDifference(const ModelSpec& said, const ModelSpec& model)
{
    RunSpec earlier;
    RunSpec later;
    earlier.model = describedPart(said);
    later.model = describedPart(model);
    const std::vector<FieldChange> changes = changesBetween(earlier, later);
    return changes.empty() ? std::string() : changes.front().path;
}

} // namespace

Result<const Architecture*> architectureOf(std::string_view modelType)
{
    std::string known;
    for (const Architecture* architecture : all()) {
        if (architecture->modelType() == modelType)
            return architecture;
        known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", architecture->modelType());
    }
    return badInput(fmt::format("model_type is \"{}\"", modelType), known + " can be imported");
}

const Architecture& architectureOf(const ModelSpec& model)
{
    for (const Architecture* architecture : all()) {
        if (architecture->family() == model.family)
            return *architecture;
    }
    TRAINYARD_CHECK_MSG(false, std::string(nameOf(model.family)));
    return bertArchitecture();
}

std::string unnamedLabel(int number)
{
    return fmt::format("LABEL_{}", number);
}

Result<Activation> activationFrom(const std::string& name)
{
    if (name == "gelu_pytorch_tanh") // the same function under a newer name
        return Activation::GeluNew;
    const auto activation = enumFromName<Activation>(name);
    if (!activation || isGated(*activation))
        return badInput(fmt::format("the activation is \"{}\"", name),
                        "\"gelu\", \"gelu_new\", \"gelu_pytorch_tanh\", \"relu\" and \"silu\" are supported");
    return *activation;
}

Status requireSaid(const ModelSpec& model, const Result<ModelSpec>& said)
{
    if (!said.ok())
        return said.error();
    const std::string difference = firstDifference(*said, model);
    if (difference.empty())
        return {};
    const std::string family(nameOf(model.family));
    return badInput(fmt::format("Hugging Face has no {} with this {}", family, difference),
                    fmt::format("only {}'s own value of it can be exported", family));
}

} // namespace trainyard

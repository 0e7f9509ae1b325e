#include "engine/model/model_family.h"

#include <cmath>

#include <fmt/format.h>

#include "engine/spec/families/family_table.h"

namespace trainyard {

namespace {

/// A norm of the output or of the sum has the first name where it is the only one.
BranchNorms branchNorms(NormPlacement placement, const std::string& first, const std::string& second)
{
    switch (placement) {
    case NormPlacement::Pre:
        return {first, {}};
    case NormPlacement::Both:
        return {first, second};
    case NormPlacement::Post:
    case NormPlacement::Output:
        break;
    }
    return {{}, first};
}

} // namespace

EmbeddingNames embeddingNames(const ModelSpec& model)
{
    const FamilyNames& names = familyTable(model.family).names;
    return {std::string(names.words), std::string(names.positions), std::string(names.tokenTypes),
            std::string(names.embeddingNorm)};
}

LayerNames layerNames(const ModelSpec& model, int layer)
{
    const FamilyNames& names = familyTable(model.family).names;
    const auto whole = [&](std::string_view name) {
        return name.empty() ? std::string() : fmt::format("{}.{}.{}", names.layers, layer, name);
    };
    LayerNames layerNames{
        {whole(names.query), whole(names.key), whole(names.value)},
        whole(names.queryNorm),
        whole(names.keyNorm),
        whole(names.attentionOutput),
        branchNorms(model.norm, whole(names.attentionNorm), whole(names.attentionOutputNorm)),
        whole(names.gate),
        whole(names.in),
        whole(names.out),
        whole(names.router),
        whole(names.expertsIn),
        whole(names.expertsOut),
        branchNorms(model.norm, whole(names.feedForwardNorm), whole(names.feedForwardOutputNorm))};
    if (layer == 0 && !model.firstLayerNorm)
        layerNames.attentionNorms.before.clear();
    return layerNames;
}

HeadNames headNames(const ModelSpec& model)
{
    const FamilyNames& names = familyTable(model.family).names;
    return {std::string(names.finalNorm), std::string(names.decoder), std::string(names.transform),
            std::string(names.transformNorm), std::string(names.decoderBias)};
}

TaskHeadNames taskHeadNames(const ModelSpec& model)
{
    const FamilyTable& table = familyTable(model.family);
    const TaskHeadTable& heads = table.taskHeads;
    TaskHeadNames names;
    if (heads.pooler.empty()) {
        names.transform = table.names.transform;
        names.transformNorm = table.names.transformNorm;
    } else if (model.task.poolsFirstToken()) {
        names.pooler = heads.pooler;
    }
    names.output = model.task.kind == TaskKind::Answer ? heads.answers
                   : model.task.kind == TaskKind::Tag  ? heads.tokens
                                                       : heads.sequences;
    return names;
}

bool areHeadByHead(const ModelSpec& model)
{
    return familyTable(model.family).names.isHeadByHead;
}

double residualDeviationScale(const ModelSpec& model)
{
    return familyTable(model.family).scalesResiduals ? 1.0 / std::sqrt(2.0 * model.layers) : 1.0;
}

} // namespace trainyard

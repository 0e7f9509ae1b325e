#include "engine/planner/layout/stage_costs.h"

#include "engine/planner/layout/parameter_parts.h"
#include "engine/spec/pipeline_rules.h"

namespace trainyard {

namespace {

PartCosts equalLayers(const ModelSpec& model, double embeddings, double layer, double head)
{
    return {embeddings, std::vector<double>(static_cast<std::size_t>(model.layers), layer), head};
}

PartCosts costsFor(PartitionKind kind, const ModelSpec& model, const SequenceShape& shape)
{
    switch (kind) {
    case PartitionKind::Parameters:
        return parameterCosts(model);
    case PartitionKind::Cost:
        return operationCosts(model, shape);
    case PartitionKind::Layers:
    case PartitionKind::ByHand:
        break;
    }
    return layerCosts(model);
}

/// A row or each of its tokens is classified, the row after pooling.
double taskOperations(const ModelSpec& model, const SequenceShape& shape)
{
    const double h = model.hidden;
    const double outputs = 2 * h * model.task.outputs();
    return model.task.poolsFirstToken() ? 2 * h * h + outputs : shape.length * outputs;
}

/// A decoder predicts every token; BERT transforms and predicts the masked ones, and pools a sequence for
/// NSP.
double headOperations(const ModelSpec& model, const SequenceShape& shape)
{
    if (model.task.hasHead())
        return taskOperations(model, shape);
    const double h = model.hidden;
    const double decoder = 2 * h * model.vocabulary;
    if (model.isDecoder())
        return shape.length * decoder;
    const double nextSentence = model.nextSentence ? 2 * h * h + 4 * h : 0;
    return shape.maxPredictions * (2 * h * h + decoder) + nextSentence;
}

} // namespace

PartCosts layerCosts(const ModelSpec& model)
{
    return equalLayers(model, 0.5, 1, 0.5);
}

PartCosts parameterCosts(const ModelSpec& model)
{
    const ParameterParts parts = parameterParts(model);
    return equalLayers(model, static_cast<double>(parts.embeddings), static_cast<double>(parts.perLayer),
                       static_cast<double>(parts.head + (model.sharesWordsWithHead() ? parts.words : 0)));
}

PartCosts operationCosts(const ModelSpec& model, const SequenceShape& shape)
{
    const double s = shape.length;
    const double h = model.hidden;
    const double projections = 2 * s * h * (model.attentionWidth() + model.queryWidth());
    const double attention = 4 * s * s * model.queryWidth();
    const double feedForward = (model.isGated() ? 6 : 4) * s * h * model.intermediate;
    const double experts =
        2 * s * h * model.experts.count + 6 * s * h * model.experts.perToken * model.expertWidth();
    PartCosts costs = equalLayers(model, 0, projections + attention, headOperations(model, shape));
    for (int layer = 0; layer < model.layers; ++layer)
        costs.layers[static_cast<std::size_t>(layer)] += model.hasExperts(layer) ? experts : feedForward;
    return costs;
}

Result<std::vector<int>> layersPerStage(const RunSpec& spec, const SequenceShape& shape)
{
    if (const Diagnostics problems = pipelineProblems(spec); !problems.empty())
        return toError(problems);
    const StagePartition& partition = spec.layout.partition;
    if (spec.layout.pipeline == 1)
        return std::vector{spec.model.layers};
    if (partition.kind == PartitionKind::ByHand)
        return partition.layerCounts;
    return partitionLayers(costsFor(partition.kind, spec.model, shape), spec.layout.stages());
}

} // namespace trainyard

#include "engine/planner/layout/parameter_parts.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "engine/spec/lora_targets.h"

namespace trainyard {

namespace {

/// What tensor parallelism shares of a tensor.
enum class Cut { Nothing, Rows, Columns };

/// A matrix, or a vector of one column; `stacked` equal ones that are multiplied as one.
struct Tensor {
    std::int64_t rows = 0;
    std::int64_t columns = 1;
    Cut cut = Cut::Nothing;
    int stacked = 1;
    bool isTrained = true;
    bool isOfExperts = false;
};

/// Of a part of a model. engine/model/model_parameters.cpp lists the same ones by name.
using Tensors = std::vector<Tensor>;

void addNorm(Tensors& tensors, const ModelSpec& m, std::int64_t width, Cut cut = Cut::Nothing)
{
    tensors.push_back({width, 1, cut});
    if (m.hasNormBiases())
        tensors.push_back({width, 1, cut});
}

/// Weight and bias of a product whose outputs are cut, or whose inputs are, which leaves the bias whole.
void addLinear(Tensors& tensors, std::int64_t out, std::int64_t in, Cut cut, int stacked, bool hasBias)
{
    tensors.push_back({out, in, cut, stacked});
    if (hasBias)
        tensors.push_back({out, 1, cut == Cut::Rows ? Cut::Rows : Cut::Nothing, stacked});
}

/// Of a head, on every rank whole.
void addLinear(Tensors& tensors, std::int64_t out, std::int64_t in)
{
    addLinear(tensors, out, in, Cut::Nothing, 1, true);
}

/// With adapters all that a model has besides them and the end of a task's head is frozen.
Tensors frozenWithAdapters(Tensors tensors, const ModelSpec& m)
{
    for (Tensor& tensor : tensors)
        tensor.isTrained = !m.lora.isOn();
    return tensors;
}

/// A has the cut of the product's inputs, B that of its outputs. Query, key and value in one product are
/// three blocks, each with its own cut.
void addAdapters(Tensors& tensors, const ModelSpec& m)
{
    for (const AdaptableProduct& product : adaptedProducts(m)) {
        tensors.push_back({m.lora.rank, product.in, product.cutsOutputs ? Cut::Nothing : Cut::Columns});
        tensors.push_back({product.out / product.blocks, m.lora.rank,
                           product.cutsOutputs ? Cut::Rows : Cut::Nothing, product.blocks});
    }
}

/// The words first.
Tensors embeddingsOf(const ModelSpec& m)
{
    Tensors tensors{{m.vocabulary, m.hidden, Cut::Rows}};
    if (m.positions == PositionEncoding::Learned)
        tensors.push_back({m.maxPositions + m.positionOffset, m.hidden});
    if (m.tokenTypes > 0)
        tensors.push_back({m.tokenTypes, m.hidden});
    if (m.embeddingNorm)
        addNorm(tensors, m, m.hidden);
    return frozenWithAdapters(std::move(tensors), m);
}

/// All heads' rows are cut by heads, so that what is several tensors counts as one where their shares do.
void addQueryKeyValue(Tensors& tensors, const ModelSpec& m)
{
    const bool hasBias = m.attentionBiases != AttentionBiases::None;
    if (m.keyHeads() == m.heads)
        return addLinear(tensors, m.queryWidth(), m.hidden, Cut::Rows, 3, hasBias);
    const std::int64_t rows = m.attentionWidth();
    tensors.push_back({rows, m.hidden, Cut::Rows});
    if (hasBias)
        tensors.push_back({rows, 1, Cut::Rows});
}

void addQueryKeyNorms(Tensors& tensors, const ModelSpec& m)
{
    if (m.queryKeyNorm == QueryKeyNorm::Head) {
        addNorm(tensors, m, m.headSize());
        addNorm(tensors, m, m.headSize());
    } else if (m.queryKeyNorm == QueryKeyNorm::Whole) {
        addNorm(tensors, m, m.queryWidth(), Cut::Rows);
        addNorm(tensors, m, m.keyWidth(), Cut::Rows);
    }
}

/// What makes layers of a model differ.
struct LayerKind {
    bool isFirst = false; ///< which may lack a norm
    bool hasExperts = false;
};

LayerKind kindOf(const ModelSpec& m, int layer)
{
    return {layer == 0, m.hasExperts(layer)};
}

void addFeedForward(Tensors& tensors, const ModelSpec& m)
{
    addLinear(tensors, m.intermediate, m.hidden, Cut::Rows, m.isGated() ? 2 : 1, m.feedForwardBiases);
    addLinear(tensors, m.hidden, m.intermediate, Cut::Columns, 1, m.feedForwardBiases);
}

/// The router, and one tensor each for the products of all experts.
void addExperts(Tensors& tensors, const ModelSpec& m)
{
    const std::int64_t count = m.experts.count;
    tensors.push_back({count, m.hidden});
    tensors.push_back({.rows = m.expertWidth(),
                       .columns = m.hidden,
                       .cut = Cut::Rows,
                       .stacked = 2 * m.experts.count,
                       .isOfExperts = true});
    tensors.push_back(
        {.rows = count * m.hidden, .columns = m.expertWidth(), .cut = Cut::Columns, .isOfExperts = true});
}

Tensors layerOf(const ModelSpec& m, LayerKind kind)
{
    const bool normsInputs = m.norm == NormPlacement::Pre || m.norm == NormPlacement::Both;
    const bool normsOutputs = m.norm != NormPlacement::Pre;
    Tensors tensors;
    const auto norm = [&](bool isThere) {
        if (isThere)
            addNorm(tensors, m, m.hidden);
    };
    norm(normsInputs && (!kind.isFirst || m.firstLayerNorm));
    addQueryKeyValue(tensors, m);
    addQueryKeyNorms(tensors, m);
    addLinear(tensors, m.hidden, m.queryWidth(), Cut::Columns, 1, m.attentionBiases == AttentionBiases::All);
    norm(normsOutputs);
    norm(normsInputs);
    kind.hasExperts ? addExperts(tensors, m) : addFeedForward(tensors, m);
    norm(normsOutputs);
    tensors = frozenWithAdapters(std::move(tensors), m);
    addAdapters(tensors, m);
    return tensors;
}

void addEncoderHead(Tensors& tensors, const ModelSpec& m)
{
    if (m.nextSentence)
        addLinear(tensors, m.hidden, m.hidden); // pooler
    addLinear(tensors, m.hidden, m.hidden, Cut::Nothing, 1, m.transformBias);
    addNorm(tensors, m, m.hidden);
    tensors.push_back({m.vocabulary, 1, Cut::Rows}); // bias of the decoder
    if (m.nextSentence)
        addLinear(tensors, 2, m.hidden);
}

void addTaskHead(Tensors& tensors, const ModelSpec& m)
{
    if (m.task.poolsFirstToken())
        addLinear(tensors, m.hidden, m.hidden);
    tensors = frozenWithAdapters(std::move(tensors), m);
    addLinear(tensors, m.task.outputs(), m.hidden);
}

Tensors headOf(const ModelSpec& m)
{
    Tensors tensors;
    if (m.hasFinalNorm())
        addNorm(tensors, m, m.hidden);
    if (!m.isDecoder())
        m.task.hasHead() ? addTaskHead(tensors, m) : addEncoderHead(tensors, m);
    if (!m.tiedHead && m.predictsWords())
        tensors.push_back({m.vocabulary, m.hidden, Cut::Rows});
    return m.task.hasHead() ? tensors : frozenWithAdapters(std::move(tensors), m);
}

std::int64_t shareOf(std::int64_t size, int rank, int ranks)
{
    return size / ranks + (rank < size % ranks ? 1 : 0);
}

std::int64_t elementsOf(const Tensor& tensor, int tensorRank = 0, int tensorRanks = 1)
{
    const auto share = [&](std::int64_t size, Cut cut) {
        return tensor.cut == cut ? shareOf(size, tensorRank, tensorRanks) : size;
    };
    return tensor.stacked * share(tensor.rows, Cut::Rows) * share(tensor.columns, Cut::Columns);
}

std::int64_t elementsOf(const Tensors& tensors)
{
    return std::accumulate(tensors.begin(), tensors.end(), std::int64_t{0},
                           [](std::int64_t sum, const Tensor& tensor) { return sum + elementsOf(tensor); });
}

Tensors trainedOf(Tensors tensors)
{
    std::erase_if(tensors, [](const Tensor& tensor) { return !tensor.isTrained; });
    return tensors;
}

/// Gate, input and output, as addExperts() lists them.
std::int64_t parametersOfExpert(const ModelSpec& model)
{
    return 3 * std::int64_t{model.hidden} * model.expertWidth();
}

std::int64_t expertLayers(const ModelSpec& model)
{
    return model.experts.isOn() ? model.layers / std::max(1, model.experts.every) : 0;
}

/// Of so many layers behind the first.
template <typename Count>
std::int64_t ofLayers(const ModelSpec& model, std::int64_t layers, std::int64_t withExperts,
                      const Count& count)
{
    const auto of = [&](bool hasExperts) { return count(layerOf(model, {false, hasExperts})); };
    return withExperts * of(true) + (layers - withExperts) * of(false);
}

/// The mean of those behind the first.
template <typename Count>
std::int64_t perLayer(const ModelSpec& model, const Count& count)
{
    if (!model.experts.isOn())
        return count(layerOf(model, {}));
    const int every = std::max(1, model.experts.every);
    return ofLayers(model, every, 1, count) / every;
}

template <typename Count>
std::int64_t ofAllLayers(const ModelSpec& model, const Count& count)
{
    const LayerKind first = kindOf(model, 0);
    const std::int64_t withExperts = expertLayers(model) - (first.hasExperts ? 1 : 0);
    return count(layerOf(model, first)) + ofLayers(model, model.layers - 1, withExperts, count);
}

std::int64_t allOf(const Tensors& tensors)
{
    return elementsOf(tensors);
}

std::int64_t trainedElementsOf(const Tensors& tensors)
{
    return elementsOf(trainedOf(tensors));
}

} // namespace

ParameterParts parameterParts(const ModelSpec& model)
{
    const Tensors embeddings = embeddingsOf(model);
    return {elementsOf(embeddings), elementsOf(embeddings.front()), perLayer(model, allOf),
            elementsOf(headOf(model))};
}

ParameterParts trainedParts(const ModelSpec& model)
{
    const Tensors embeddings = embeddingsOf(model);
    return {elementsOf(trainedOf(embeddings)), elementsOf(trainedOf({embeddings.front()})),
            perLayer(model, trainedElementsOf), elementsOf(trainedOf(headOf(model)))};
}

std::int64_t parameterCount(const ModelSpec& model)
{
    const ParameterParts parts = parameterParts(model);
    return parts.embeddings + ofAllLayers(model, allOf) + parts.head;
}

std::int64_t activeParameterCount(const ModelSpec& model)
{
    const std::int64_t idle = std::max(0, model.experts.count - model.experts.perToken);
    return parameterCount(model) - expertLayers(model) * idle * parametersOfExpert(model);
}

std::int64_t trainedParameterCount(const ModelSpec& model)
{
    const ParameterParts parts = trainedParts(model);
    return parts.embeddings + ofAllLayers(model, trainedElementsOf) + parts.head;
}

ExpertSplit splitOf(double parameters, const RunSpec& spec, Counted counted, double layers)
{
    const ModelSpec& model = spec.model;
    const bool hasExperts = model.experts.isOn() && (counted == Counted::All || !model.lora.isOn());
    if (spec.layout.expert == 1 || !hasExperts)
        return {parameters, 0};
    const double ofLayer = static_cast<double>(parametersOfExpert(model)) * model.experts.count /
                           std::max(1, model.experts.every);
    return {parameters - layers * ofLayer, layers * ofLayer / spec.layout.expert};
}

std::vector<FlatBlock> flatBlocks(const ModelSpec& model, const StageContents& stage, int tensorRank,
                                  int tensorRanks, int expertRanks)
{
    std::vector<FlatBlock> blocks;
    const auto add = [&](const Tensors& tensors, int part) {
        for (const Tensor& tensor : tensors)
            blocks.push_back(
                {elementsOf(tensor, tensorRank, tensorRanks) / (tensor.isOfExperts ? expertRanks : 1), part,
                 !tensor.isTrained, tensor.isOfExperts});
    };
    if (stage.embeddings) {
        add(embeddingsOf(model), -1);
        blocks.front().isTied = model.sharesWordsWithHead() && !stage.head;
    }
    for (int layer = 0; layer < stage.layers; ++layer)
        add(layerOf(model, kindOf(model, stage.firstLayer + layer)), layer);
    if (!stage.head)
        return blocks;
    add(headOf(model), stage.layers);
    if (model.sharesWordsWithHead() && !stage.embeddings) {
        add({embeddingsOf(model).front()}, stage.layers);
        blocks.back().isTied = true;
    }
    return blocks;
}

} // namespace trainyard

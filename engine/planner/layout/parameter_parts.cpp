#include "engine/planner/layout/parameter_parts.h"

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

Tensors layerOf(const ModelSpec& m, int layer = 1)
{
    const bool normsInputs = m.norm == NormPlacement::Pre || m.norm == NormPlacement::Both;
    const bool normsOutputs = m.norm != NormPlacement::Pre;
    Tensors tensors;
    const auto norm = [&](bool isThere) {
        if (isThere)
            addNorm(tensors, m, m.hidden);
    };
    norm(normsInputs && (layer > 0 || m.firstLayerNorm));
    addQueryKeyValue(tensors, m);
    addQueryKeyNorms(tensors, m);
    addLinear(tensors, m.hidden, m.queryWidth(), Cut::Columns, 1, m.attentionBiases == AttentionBiases::All);
    norm(normsOutputs);
    norm(normsInputs);
    addLinear(tensors, m.intermediate, m.hidden, Cut::Rows, m.isGated() ? 2 : 1, m.feedForwardBiases);
    addLinear(tensors, m.hidden, m.intermediate, Cut::Columns, 1, m.feedForwardBiases);
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

std::int64_t sumOf(const ParameterParts& parts, const ModelSpec& model)
{
    return parts.embeddings + model.layers * parts.perLayer + parts.head;
}

/// Of the first layer, which may lack a norm.
std::int64_t missingInFirstLayer(const ModelSpec& model)
{
    return elementsOf(layerOf(model)) - elementsOf(layerOf(model, 0));
}

} // namespace

ParameterParts parameterParts(const ModelSpec& model)
{
    const Tensors embeddings = embeddingsOf(model);
    return {elementsOf(embeddings), elementsOf(embeddings.front()), elementsOf(layerOf(model)),
            elementsOf(headOf(model))};
}

ParameterParts trainedParts(const ModelSpec& model)
{
    const Tensors embeddings = embeddingsOf(model);
    return {elementsOf(trainedOf(embeddings)), elementsOf(trainedOf({embeddings.front()})),
            elementsOf(trainedOf(layerOf(model))), elementsOf(trainedOf(headOf(model)))};
}

std::int64_t parameterCount(const ModelSpec& model)
{
    return sumOf(parameterParts(model), model) - missingInFirstLayer(model);
}

std::int64_t trainedParameterCount(const ModelSpec& model)
{
    return sumOf(trainedParts(model), model) - (model.lora.isOn() ? 0 : missingInFirstLayer(model));
}

std::vector<FlatBlock> flatBlocks(const ModelSpec& model, const StageContents& stage, int tensorRank,
                                  int tensorRanks)
{
    std::vector<FlatBlock> blocks;
    const auto add = [&](const Tensors& tensors, int part) {
        for (const Tensor& tensor : tensors)
            blocks.push_back({elementsOf(tensor, tensorRank, tensorRanks), part, !tensor.isTrained});
    };
    if (stage.embeddings)
        add(embeddingsOf(model), -1);
    for (int layer = 0; layer < stage.layers; ++layer)
        add(layerOf(model, stage.embeddings ? layer : layer + 1), layer);
    if (!stage.head)
        return blocks;
    add(headOf(model), stage.layers);
    if (model.sharesWordsWithHead() && !stage.embeddings)
        add({embeddingsOf(model).front()}, stage.layers);
    return blocks;
}

} // namespace trainyard

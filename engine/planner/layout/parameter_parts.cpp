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

void addNorm(Tensors& tensors, const ModelSpec& m)
{
    tensors.push_back({m.hidden});
    tensors.push_back({m.hidden});
}

/// Weight and bias of a product whose outputs are cut, or whose inputs are, which leaves the bias whole.
void addLinear(Tensors& tensors, std::int64_t out, std::int64_t in, Cut cut = Cut::Nothing, int stacked = 1)
{
    tensors.push_back({out, in, cut, stacked});
    tensors.push_back({out, 1, cut == Cut::Rows ? Cut::Rows : Cut::Nothing, stacked});
}

/// With adapters all that a model has besides them and the end of a task's head is frozen.
Tensors frozenWithAdapters(Tensors tensors, const ModelSpec& m)
{
    for (Tensor& tensor : tensors)
        tensor.isTrained = !m.lora.isOn();
    return tensors;
}

/// Inputs and outputs of a product of a layer.
struct ProductShape {
    std::int64_t out;
    std::int64_t in;
};

ProductShape shapeOf(const AdaptableProduct& product, const ModelSpec& m)
{
    const bool isOfFeedForward = product.name.starts_with("mlp.") ||
                                 product.name.starts_with("intermediate") || product.name == "output.dense";
    const std::int64_t inner = isOfFeedForward ? m.intermediate : m.hidden;
    if (!product.cutsOutputs)
        return {m.hidden, inner};
    return {product.name == "attn.c_attn" ? 3 * m.hidden : inner, m.hidden};
}

/// A has the cut of the product's inputs, B that of its outputs. Query, key and value in one product are
/// three blocks, each with its own cut.
void addAdapters(Tensors& tensors, const ModelSpec& m)
{
    for (const AdaptableProduct& product : adaptedProducts(m)) {
        const ProductShape shape = shapeOf(product, m);
        const int blocks = product.name == "attn.c_attn" ? 3 : 1;
        tensors.push_back({m.lora.rank, shape.in, product.cutsOutputs ? Cut::Nothing : Cut::Columns});
        tensors.push_back(
            {shape.out / blocks, m.lora.rank, product.cutsOutputs ? Cut::Rows : Cut::Nothing, blocks});
    }
}

/// The words first.
Tensors embeddingsOf(const ModelSpec& m)
{
    Tensors tensors{{m.vocabulary, m.hidden, Cut::Rows}};
    if (m.positions == PositionEncoding::Learned)
        tensors.push_back({m.maxPositions, m.hidden});
    if (m.tokenTypes > 0)
        tensors.push_back({m.tokenTypes, m.hidden});
    if (m.family == ModelFamily::Bert)
        addNorm(tensors, m);
    return frozenWithAdapters(std::move(tensors), m);
}

Tensors layerOf(const ModelSpec& m)
{
    const bool normFirst = m.norm == NormPlacement::Pre;
    Tensors tensors;
    if (normFirst)
        addNorm(tensors, m);
    addLinear(tensors, m.hidden, m.hidden, Cut::Rows, 3); // query, key, value
    addLinear(tensors, m.hidden, m.hidden, Cut::Columns);
    addNorm(tensors, m);
    addLinear(tensors, m.intermediate, m.hidden, Cut::Rows, m.activation == Activation::Swiglu ? 2 : 1);
    addLinear(tensors, m.hidden, m.intermediate, Cut::Columns);
    if (!normFirst)
        addNorm(tensors, m);
    tensors = frozenWithAdapters(std::move(tensors), m);
    addAdapters(tensors, m);
    return tensors;
}

void addBertHead(Tensors& tensors, const ModelSpec& m)
{
    if (m.nextSentence)
        addLinear(tensors, m.hidden, m.hidden); // pooler
    addLinear(tensors, m.hidden, m.hidden);     // transform
    addNorm(tensors, m);
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
    if (m.norm == NormPlacement::Pre)
        addNorm(tensors, m);
    if (m.family == ModelFamily::Bert)
        m.task.hasHead() ? addTaskHead(tensors, m) : addBertHead(tensors, m);
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
    return sumOf(parameterParts(model), model);
}

std::int64_t trainedParameterCount(const ModelSpec& model)
{
    return sumOf(trainedParts(model), model);
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
        add(layerOf(model), layer);
    if (!stage.head)
        return blocks;
    add(headOf(model), stage.layers);
    if (model.sharesWordsWithHead() && !stage.embeddings)
        add({embeddingsOf(model).front()}, stage.layers);
    return blocks;
}

} // namespace trainyard

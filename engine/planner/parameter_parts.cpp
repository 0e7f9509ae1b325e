#include "engine/planner/parameter_parts.h"

#include <functional>
#include <numeric>
#include <vector>

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
};

/// Of a part of a model. engine/nn/model_parameters.cpp lists the same ones by name.
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
    return tensors;
}

Tensors layerOf(const ModelSpec& m)
{
    Tensors tensors;
    addNorm(tensors, m);
    addLinear(tensors, m.hidden, m.hidden, Cut::Rows, 3); // query, key, value
    addLinear(tensors, m.hidden, m.hidden, Cut::Columns);
    addNorm(tensors, m);
    addLinear(tensors, m.intermediate, m.hidden, Cut::Rows, m.activation == Activation::Swiglu ? 2 : 1);
    addLinear(tensors, m.hidden, m.intermediate, Cut::Columns);
    return tensors;
}

void addBertHead(Tensors& tensors, const ModelSpec& m)
{
    addLinear(tensors, m.hidden, m.hidden); // transform
    addNorm(tensors, m);
    tensors.push_back({m.vocabulary, 1, Cut::Rows}); // bias of the decoder
    if (!m.nextSentence)
        return;
    addLinear(tensors, m.hidden, m.hidden); // pooler
    addLinear(tensors, 2, m.hidden);
}

Tensors headOf(const ModelSpec& m)
{
    Tensors tensors;
    if (m.norm == NormPlacement::Pre)
        addNorm(tensors, m);
    if (m.family == ModelFamily::Bert)
        addBertHead(tensors, m);
    if (!m.tiedHead)
        tensors.push_back({m.vocabulary, m.hidden, Cut::Rows});
    return tensors;
}

std::int64_t dividedUp(std::int64_t number, std::int64_t parts)
{
    return (number + parts - 1) / parts;
}

std::int64_t roundedUp(std::int64_t number, std::int64_t multiple)
{
    return dividedUp(number, multiple) * multiple;
}

std::int64_t elementsOf(const Tensor& tensor, int tensorRanks = 1)
{
    const std::int64_t rows = tensor.cut == Cut::Rows ? dividedUp(tensor.rows, tensorRanks) : tensor.rows;
    const std::int64_t columns =
        tensor.cut == Cut::Columns ? dividedUp(tensor.columns, tensorRanks) : tensor.columns;
    return tensor.stacked * rows * columns;
}

ParameterParts addedUp(const ModelSpec& model, const std::function<std::int64_t(const Tensor&)>& size)
{
    const auto sum = [&](const Tensors& tensors) {
        return std::accumulate(
            tensors.begin(), tensors.end(), std::int64_t{0},
            [&](std::int64_t total, const Tensor& tensor) { return total + size(tensor); });
    };
    const Tensors embeddings = embeddingsOf(model);
    return {sum(embeddings), size(embeddings.front()), sum(layerOf(model)), sum(headOf(model))};
}

} // namespace

ParameterParts parameterParts(const ModelSpec& model)
{
    return addedUp(model, [](const Tensor& tensor) { return elementsOf(tensor); });
}

std::int64_t parameterCount(const ModelSpec& model)
{
    const ParameterParts parts = parameterParts(model);
    return parts.embeddings + model.layers * parts.perLayer + parts.head;
}

ParameterParts flatParts(const ModelSpec& model, int tensorRanks, int owners)
{
    ParameterParts parts = addedUp(model, [&](const Tensor& tensor) {
        return roundedUp(elementsOf(tensor, tensorRanks), kFlatAlignment);
    });
    for (std::int64_t* part : {&parts.embeddings, &parts.perLayer, &parts.head})
        *part = roundedUp(*part, kFlatAlignment * owners);
    return parts;
}

} // namespace trainyard

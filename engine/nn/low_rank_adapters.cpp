#include "engine/nn/low_rank_adapters.h"

#include <algorithm>

#include <torch/csrc/autograd/custom_function.h>

#include "engine/model/adapter_names.h"
#include "engine/nn/layers.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/spec/lora_targets.h"

namespace trainyard {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// values [T, N] += delta [T, n] in the columns from `first` on. Nobody else needs the product that it
/// overwrites, so that adapters take no memory of the outputs' size but for `delta`.
struct AddColumns : torch::autograd::Function<AddColumns> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& values, const at::Tensor& delta,
                              std::int64_t first)
    {
        context->saved_data["first"] = first;
        context->saved_data["width"] = delta.size(1);
        values.narrow(1, first, delta.size(1)).add_(delta);
        context->mark_dirty({values});
        return values;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const std::int64_t first = context->saved_data["first"].toInt();
        const std::int64_t width = context->saved_data["width"].toInt();
        return {gradients[0], gradients[0].narrow(1, first, width), at::Tensor()};
    }
};

/// Masks of adapters are apart from those of the model's sites, which number few layers, and of each other.
DropoutKey keyOf(const DropoutKey& key, std::uint64_t adapter)
{
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u; // 2^64 / the golden ratio: spreads small numbers
    return {key.seed ^ kGolden * (adapter + 1), key.step};
}

std::uint64_t numberOf(const ModelSpec& model, const std::string& product)
{
    const std::vector<AdaptableProduct> products = adaptableProducts(model);
    const auto found = std::ranges::find_if(
        products, [&](const AdaptableProduct& one) { return isProduct(product, one.name); });
    return static_cast<std::uint64_t>(found - products.begin());
}

/// Of the whole product, of which a tensor-parallel rank may have a share.
std::int64_t wholeInputs(const ParameterStore& parameters, const std::string& down)
{
    return parameters.parameter(down).spec.shape.back();
}

/// Of a product whose outputs ranks share, this rank's.
std::int64_t outputsHere(const ParameterStore& parameters, const std::string& product)
{
    const Parameter& weight = parameters.parameter(product + ".weight");
    return weight.count / weight.spec.shape.back();
}

} // namespace

LowRankAdapters::LowRankAdapters(const ModelSpec& model, int layer, const std::vector<std::string>& products,
                                 const ParameterStore& parameters)
    : m_layer(layer), m_scale(model.lora.isOn() ? model.lora.scale() : 0), m_dropout(model.lora.dropout)
{
    std::int64_t firstColumn = 0;
    for (const std::string& product : products) {
        const AdapterNames names = adapterNames(product);
        if (parameters.contains(names.down))
            m_adapters.push_back({parameters.leaf(names.down), parameters.leaf(names.up), firstColumn,
                                  wholeInputs(parameters, names.down), numberOf(model, product)});
        if (!product.empty())
            firstColumn += outputsHere(parameters, product);
    }
}

at::Tensor LowRankAdapters::dropped(const Adapter& adapter, const at::Tensor& input, IndexRange tokens,
                                    const ForwardPass& pass) const
{
    if (!pass.dropoutKey || m_dropout == 0)
        return input;
    const bool isCut = adapter.down.size(1) < adapter.width;
    const IndexRange columns = isCut ? evenShare(adapter.width, pass.parallel.rank(), pass.parallel.ranks())
                                     : IndexRange{0, adapter.width};
    return pass.dropColumns(input, columns, adapter.width, tokens, m_dropout,
                            keyOf(*pass.dropoutKey, adapter.number), static_cast<std::uint32_t>(m_layer));
}

// What A gives enters the cut, not its input: the gradient of A is complete then, as A is on every rank.
at::Tensor LowRankAdapters::addToColumns(const at::Tensor& output, const at::Tensor& input,
                                         const ForwardPass& pass) const
{
    at::Tensor sum = output;
    for (const Adapter& adapter : m_adapters) {
        const at::Tensor inner_TR =
            linear(dropped(adapter, input, pass.tokensHere(), pass), {adapter.down, {}}, pass.compute()) *
            m_scale;
        sum = AddColumns::apply(sum,
                                linear(enterCut(inner_TR, pass.parallel), {adapter.up, {}}, pass.compute()),
                                adapter.firstColumn);
    }
    return sum;
}

at::Tensor LowRankAdapters::addToRows(const at::Tensor& output, const at::Tensor& input,
                                      const ForwardPass& pass) const
{
    at::Tensor sum = output;
    for (const Adapter& adapter : m_adapters) {
        const at::Tensor partial_TR = linear(dropped(adapter, input, {0, pass.batch.tokens()}, pass),
                                             {adapter.down, {}}, pass.compute());
        sum = AddColumns::apply(
            sum, linear(leaveCut(partial_TR, pass.parallel) * m_scale, {adapter.up, {}}, pass.compute()),
            adapter.firstColumn);
    }
    return sum;
}

} // namespace trainyard

#include "engine/model/parameter_list.h"

#include <utility>

#include "engine/model/adapter_names.h"

namespace trainyard {

void ParameterList::add(const std::string& name, std::vector<std::int64_t> shape,
                        Initialization initialization, TensorSplit split)
{
    m_specs.push_back({.name = name,
                       .shape = std::move(shape),
                       .initialization = initialization,
                       .decays = initialization == Initialization::Normal,
                       .part = m_part,
                       .split = split});
}

void ParameterList::matrix(const std::string& name, std::vector<std::int64_t> shape, TensorSplit split,
                           double deviationScale)
{
    add(name, std::move(shape), Initialization::Normal, split);
    m_specs.back().deviationScale = deviationScale;
}

void ParameterList::expertMatrices(const std::string& name, std::int64_t experts, std::int64_t out,
                                   std::int64_t in, LinearSplit split, int blocks, double deviationScale)
{
    const TensorSplit cut =
        split == LinearSplit::Column ? TensorSplit{0, static_cast<int>(experts) * blocks} : TensorSplit{1};
    matrix(name, {experts * out, in}, cut, deviationScale);
    m_specs.back().isOfExperts = true;
}

void ParameterList::bias(const std::string& name, std::int64_t width, TensorSplit split)
{
    add(name, {width}, Initialization::Zero, split);
}

void ParameterList::linear(const std::string& name, std::int64_t out, std::int64_t in, LinearSplit split,
                           double deviationScale, bool hasBias)
{
    const TensorSplit ofWeight{split == LinearSplit::Column ? 0 : split == LinearSplit::Row ? 1 : -1};
    const TensorSplit ofBias{split == LinearSplit::Column ? 0 : -1};
    matrix(name + ".weight", {out, in}, ofWeight, deviationScale);
    if (hasBias)
        bias(name + ".bias", out, ofBias);
}

// B begins at zero, so that the adapted product begins as the frozen one; A as PEFT draws it, by He et al.
// (arXiv:1502.01852) with a slope of sqrt(5). The cut is that of the product: of the dimension that A or B
// shares with it.
void ParameterList::adapter(const std::string& product, std::int64_t rank, std::int64_t out, std::int64_t in,
                            LinearSplit split, int blocks)
{
    const AdapterNames names = adapterNames(product);
    const TensorSplit ofOutputs = split == LinearSplit::Column ? TensorSplit{0, blocks} : TensorSplit();
    add(names.down, {rank, in}, Initialization::Uniform, TensorSplit{split == LinearSplit::Row ? 1 : -1});
    m_specs.back().decays = true;
    add(names.up, {out, rank}, Initialization::Zero, ofOutputs);
    m_specs.back().decays = true;
}

void ParameterList::norm(const std::string& name, std::int64_t width, const ModelSpec& model,
                         TensorSplit split)
{
    const bool isOffset = model.normKind == NormKind::RmsNormOffset;
    add(name + ".weight", {width}, isOffset ? Initialization::Zero : Initialization::One, split);
    if (model.hasNormBiases())
        bias(name + ".bias", width, split);
}

void ParameterList::partialNorm(const std::string& name, std::int64_t width, const ModelSpec& model)
{
    const std::size_t first = m_specs.size();
    norm(name, width, model);
    for (std::size_t i = first; i < m_specs.size(); ++i)
        m_specs[i].isPartial = true;
}

} // namespace trainyard

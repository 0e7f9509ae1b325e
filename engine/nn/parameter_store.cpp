#include "engine/nn/parameter_store.h"

#include <utility>

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include "engine/base/check.h"
#include "engine/nn/initialization.h"

namespace trainyard {

namespace {

std::int64_t aligned(std::int64_t count)
{
    return (count + ParameterStore::kAlignment - 1) / ParameterStore::kAlignment * ParameterStore::kAlignment;
}

at::Tensor viewOf(const at::Tensor& flat, std::int64_t offset, std::int64_t count,
                  const std::vector<std::int64_t>& shape)
{
    return flat.narrow(0, offset, count).view(shape);
}

} // namespace

at::ScalarType computeScalarType(ComputeType type)
{
    switch (type) {
    case ComputeType::Float64:
        return at::kDouble;
    case ComputeType::Float32:
        return at::kFloat;
    case ComputeType::BFloat16:
        return at::kBFloat16;
    }
    TRAINYARD_CHECK_MSG(false, "unknown compute type");
    return at::kFloat;
}

at::ScalarType masterScalarType(ComputeType type)
{
    return type == ComputeType::Float64 ? at::kDouble : at::kFloat;
}

// Runs when autograd has put a leaf's gradient of one backward pass together: moves it into the flat buffer
// and frees it at once.
class ParameterStore::GradientHook : public torch::autograd::PostAccumulateGradHook {
public:
    GradientHook(ParameterStore& store, std::size_t leaf) : m_store(store), m_leaf(leaf) {}

    void operator()(const torch::autograd::Variable& variable) override
    {
        const at::Tensor gradient = std::exchange(variable.mutable_grad(), at::Tensor());
        m_store.takeGradient(m_store.m_leaves[m_leaf], gradient);
    }

private:
    ParameterStore& m_store;
    std::size_t m_leaf;
};

ParameterStore::ParameterStore(const std::vector<ParameterSpec>& specs, ComputeType compute)
    : m_compute(compute)
{
    layOut(specs);
    allocate();
}

ParameterStore::~ParameterStore() = default;

void ParameterStore::layOut(const std::vector<ParameterSpec>& specs)
{
    for (const ParameterSpec& spec : specs) {
        if (spec.stackedOnPrevious)
            ++m_leaves.at(m_leaves.size() - 1).parameterCount;
        else
            m_leaves.push_back(Leaf{.firstParameter = m_parameters.size()});
        m_leafOf.push_back(m_leaves.size() - 1);
        const bool isNew = m_indexOf.emplace(spec.name, m_parameters.size()).second;
        TRAINYARD_CHECK_MSG(isNew, spec.name);
        m_parameters.push_back(Parameter{.spec = spec, .count = elementCount(spec.shape)});
    }
    for (auto leaf = m_leaves.rbegin(); leaf != m_leaves.rend(); ++leaf) {
        leaf->offset = m_flatCount;
        std::int64_t end = m_flatCount;
        for (std::size_t i = 0; i < leaf->parameterCount; ++i) {
            Parameter& parameter = m_parameters[leaf->firstParameter + i];
            parameter.offset = std::exchange(end, end + parameter.count);
        }
        m_flatCount = aligned(end);
    }
}

void ParameterStore::allocate()
{
    const auto master = at::TensorOptions().dtype(masterScalarType(m_compute));
    const bool separateCopy = computeScalarType(m_compute) != masterScalarType(m_compute);
    m_masters = at::zeros({m_flatCount}, master);
    m_gradients = at::zeros({m_flatCount}, master);
    m_workingCopy =
        separateCopy ? at::zeros({m_flatCount}, master.dtype(computeScalarType(m_compute))) : m_masters;
    for (Parameter& parameter : m_parameters) {
        parameter.master = viewOf(m_masters, parameter.offset, parameter.count, parameter.spec.shape);
        parameter.gradient = viewOf(m_gradients, parameter.offset, parameter.count, parameter.spec.shape);
        parameter.working = viewOf(m_workingCopy, parameter.offset, parameter.count, parameter.spec.shape);
    }
    for (Leaf& leaf : m_leaves)
        makeLeaf(leaf);
}

void ParameterStore::makeLeaf(Leaf& leaf)
{
    std::vector<std::int64_t> shape = m_parameters[leaf.firstParameter].spec.shape;
    for (std::size_t i = 1; i < leaf.parameterCount; ++i)
        shape[0] += m_parameters[leaf.firstParameter + i].spec.shape[0];
    const std::int64_t count = elementCount(shape);
    leaf.gradient = viewOf(m_gradients, leaf.offset, count, shape);
    leaf.working = viewOf(m_workingCopy, leaf.offset, count, shape).detach();
    leaf.working.requires_grad_(true);
    const auto index = static_cast<std::size_t>(&leaf - m_leaves.data());
    torch::autograd::impl::set_post_acc_grad_hooks(leaf.working,
                                                   std::make_unique<GradientHook>(*this, index));
}

void ParameterStore::takeGradient(Leaf& leaf, const at::Tensor& gradient)
{
    if (leaf.hasGradient)
        leaf.gradient.add_(gradient);
    else
        leaf.gradient.copy_(gradient);
    leaf.hasGradient = true;
    if (!m_listener)
        return;
    for (std::size_t i = 0; i < leaf.parameterCount; ++i)
        m_listener(leaf.firstParameter + i);
}

const Parameter& ParameterStore::parameter(std::string_view name) const
{
    const auto found = m_indexOf.find(std::string(name));
    TRAINYARD_CHECK_MSG(found != m_indexOf.end(), std::string(name));
    return m_parameters[found->second];
}

const at::Tensor& ParameterStore::leaf(std::string_view firstName) const
{
    const auto found = m_indexOf.find(std::string(firstName));
    TRAINYARD_CHECK_MSG(found != m_indexOf.end(), std::string(firstName));
    const Leaf& leaf = m_leaves[m_leafOf[found->second]];
    TRAINYARD_CHECK_MSG(leaf.firstParameter == found->second, std::string(firstName));
    return leaf.working;
}

std::int64_t ParameterStore::parameterCount() const
{
    std::int64_t count = 0;
    for (const Parameter& parameter : m_parameters)
        count += parameter.count;
    return count;
}

void ParameterStore::initialize(std::uint64_t seed, double standardDeviation)
{
    for (Parameter& parameter : m_parameters) {
        switch (parameter.spec.initialization) {
        case Initialization::Normal:
            fillNormal(parameter.master, seed, parameter.spec.name, standardDeviation);
            break;
        case Initialization::Zero:
            parameter.master.zero_();
            break;
        case Initialization::One:
            parameter.master.fill_(1.0);
            break;
        }
    }
    refreshWorkingCopy();
}

void ParameterStore::refreshWorkingCopy()
{
    if (!m_workingCopy.is_alias_of(m_masters))
        m_workingCopy.copy_(m_masters);
}

void ParameterStore::beginGradients()
{
    for (Leaf& leaf : m_leaves)
        leaf.hasGradient = false;
}

void ParameterStore::setGradientListener(std::function<void(std::size_t)> listener)
{
    m_listener = std::move(listener);
}

} // namespace trainyard

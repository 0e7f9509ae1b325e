#include "engine/nn/parameters/parameter_store.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <torch/csrc/autograd/variable.h>

#include "engine/base/check.h"
#include "engine/comm/phase_clock.h"
#include "engine/memory/memory_scope.h"
#include "engine/memory/tensor_storage.h"
#include "engine/nn/parameters/initialization.h"
#include "engine/nn/parameters/pending_gradients.h"

namespace trainyard {

namespace {

using Fill = void (*)(at::Tensor& tensor, std::uint64_t seed, std::string_view name, double size,
                      std::int64_t firstElement);

// Run by run of elements that are consecutive both in the slice and in the logical tensor.
void fillSlice(const at::Tensor& flatSlice, const ParameterSpec& spec, const SliceGeometry& slice,
               std::uint64_t seed, Fill fill, double size)
{
    const std::int64_t globalWidth = spec.shape.size() == 2 ? spec.shape[1] : 1;
    for (const SliceGeometry::Part& part : slice.boxes(0, slice.count())) {
        const std::int64_t width = part.box.shape.size() == 2 ? part.box.shape[1] : 1;
        const std::int64_t column = part.box.begin.size() == 2 ? part.box.begin[1] : 0;
        const std::int64_t runs = width == globalWidth ? 1 : part.box.shape[0];
        const std::int64_t run = part.box.shape[0] * width / runs;
        for (std::int64_t i = 0; i < runs; ++i) {
            at::Tensor values = flatSlice.narrow(0, part.firstElement + i * run, run);
            fill(values, seed, spec.name, size, (part.box.begin[0] + i) * globalWidth + column);
        }
    }
}

void drawSlice(const at::Tensor& flatSlice, const ParameterSpec& spec, const SliceGeometry& slice,
               std::uint64_t seed, double standardDeviation)
{
    switch (spec.initialization) {
    case Initialization::Normal:
        return fillSlice(flatSlice, spec, slice, seed, fillNormal, standardDeviation * spec.deviationScale);
    case Initialization::Uniform:
        return fillSlice(flatSlice, spec, slice, seed, fillUniform,
                         1.0 / std::sqrt(static_cast<double>(spec.shape.back())));
    case Initialization::Zero:
        flatSlice.fill_(0.0);
        return;
    case Initialization::One:
        flatSlice.fill_(1.0);
        return;
    }
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
    case ComputeType::Float16:
        return at::kHalf;
    }
    TRAINYARD_CHECK_MSG(false, "unknown compute type");
    return at::kFloat;
}

at::ScalarType masterScalarType(ComputeType type)
{
    return type == ComputeType::Float64 ? at::kDouble : at::kFloat;
}

class ParameterStore::LeafCollector final : public GradientCollector {
public:
    LeafCollector(ParameterStore& store, std::size_t leaf) : m_store(store), m_leaf(leaf) {}

    GradientPlace claim() override { return m_store.claimPlace(m_leaf); }
    PendingGradients* pending() override { return m_store.m_pending; }

    torch::autograd::variable_list operator()(const torch::autograd::variable_list& gradients) override
    {
        if (gradients[0].defined())
            claim().put(gradients[0]);
        if (m_store.m_pending) // behind the products, which were added before
            m_store.m_pending->add([this] { m_store.announceGradient(m_leaf); });
        else
            m_store.announceGradient(m_leaf);
        return {at::Tensor()};
    }

private:
    ParameterStore& m_store;
    std::size_t m_leaf;
};

ParameterStore::ParameterStore(const std::vector<ParameterSpec>& specs, ComputeType compute,
                               const Sharding& sharding, GradientResidence gradients, WeightResidence weights,
                               const Placement& placement)
    : m_compute(compute)
    , m_placement(placement)
    , m_layout(specs, sharding)
    , m_weights(m_layout, weights,
                at::TensorOptions().dtype(computeScalarType(compute)).device(placement.device.place))
    , m_gradients(m_layout, gradients, masterScalarType(compute), placement)
{
    TRAINYARD_CHECK(weights == WeightResidence::Sharded || !placement.offloadsParameters);
    nameParameters(specs);
    allocateMasters();
    allocateKept();
    viewBuffers();
    makeLeaves();
    listOwned();
}

ParameterStore::~ParameterStore() = default;

void ParameterStore::nameParameters(const std::vector<ParameterSpec>& specs)
{
    for (std::size_t i = 0; i < specs.size(); ++i) {
        const bool isNew = m_indexOf.emplace(specs[i].name, i).second;
        TRAINYARD_CHECK_MSG(isNew, specs[i].name);
        m_parameters.push_back(
            {.spec = specs[i], .offset = m_layout.offsets()[i], .count = m_layout.slices()[i].count()});
    }
}

at::Tensor ParameterStore::sliceOf(const at::Tensor& flat, std::size_t parameter) const
{
    const SliceGeometry& slice = m_layout.slices()[parameter];
    return flat.narrow(0, m_layout.offsets()[parameter], slice.count()).view(slice.shape());
}

void ParameterStore::allocateMasters()
{
    const at::ScalarType type = masterScalarType(m_compute);
    const auto onDevice = at::TensorOptions().dtype(type).device(m_placement.device.place);
    if (m_placement.offloadsOptimizer || m_placement.offloadsParameters)
        m_masters = zerosOnHost(m_layout.ownedCount(), type, m_placement.device.place);
    // One copy serves both: in float32 and float64 the working weights are the masters.
    else if (m_weights.whole().defined() && m_weights.whole().scalar_type() == type)
        m_masters = m_weights.whole();
    else
        m_masters = at::zeros({m_layout.ownedCount()}, onDevice);
    m_updated = m_masters;
    if (m_placement.offloadsOptimizer || !m_placement.offloadsParameters)
        return;
    // On the device only while the update runs; until then a shape without memory.
    m_updated = at::empty({m_layout.trainedOwnedCount()}, onDevice);
    takeMemory(m_updated);
}

void ParameterStore::allocateKept()
{
    if (m_weights.residence() == WeightResidence::Whole)
        return;
    const auto working =
        at::TensorOptions().dtype(computeScalarType(m_compute)).device(m_placement.device.place);
    const bool apart = m_placement.offloadsOptimizer && !m_placement.offloadsParameters;
    m_kept = apart ? at::zeros({m_layout.ownedCount()}, working) : m_masters;
}

void ParameterStore::viewBuffers()
{
    for (std::size_t i = 0; i < m_parameters.size(); ++i) {
        Parameter& parameter = m_parameters[i];
        if (m_weights.whole().defined())
            parameter.working = sliceOf(m_weights.whole(), i);
        if (m_masters.numel() == m_layout.flatCount())
            parameter.master = sliceOf(m_masters, i);
        if (!m_gradients.bucketsPass() && !parameter.spec.isFrozen)
            parameter.gradient = sliceOf(m_gradients.resident(), i);
    }
}

void ParameterStore::makeLeaves()
{
    m_leaves.resize(m_layout.stacks().size());
    for (std::size_t i = 0; i < m_leaves.size(); ++i) {
        const FlatLayout::Stack& stack = m_layout.stacks()[i];
        m_leaves[i].bucket = m_layout.bucketOf()[stack.firstParameter];
        at::Tensor& working = m_leaves[i].working;
        working = m_weights.bucket(m_leaves[i].bucket)
                      .narrow(0, stack.offset - m_layout.buckets()[m_leaves[i].bucket].begin,
                              elementCount(stack.shape))
                      .view(stack.shape)
                      .variable_data();
        if (stack.isFrozen)
            continue;
        working.requires_grad_(true);
        torch::autograd::impl::add_hook(working, std::make_unique<LeafCollector>(*this, i));
    }
}

void ParameterStore::listOwned()
{
    const at::Tensor& whole = m_weights.whole();
    const bool separate = !whole.defined() || !m_masters.is_alias_of(whole);
    for (const OwnedPiece& piece : m_layout.pieces()) {
        const std::int64_t offset = separate ? piece.shardOffset : piece.offset;
        const at::Tensor working = whole.defined() ? whole.narrow(0, piece.offset, piece.count)
                                                   : m_kept.narrow(0, piece.shardOffset, piece.count);
        m_owned.push_back({piece, m_masters.narrow(0, offset, piece.count), {}, working, {}});
        if (m_parameters[piece.parameter].spec.isFrozen)
            continue;
        m_owned.back().updated = m_updated.narrow(0, offset, piece.count);
        m_owned.back().gradient = m_gradients.of(piece);
    }
}

GradientPlace ParameterStore::claimPlace(std::size_t index)
{
    Leaf& leaf = m_leaves[index];
    const FlatLayout::Stack& stack = m_layout.stacks()[index];
    // The first gradient of a step is written, later ones are added: buffers need not be zeroed.
    const bool isFilled = leaf.hasGradient && m_gradients.hasBucket(leaf.bucket);
    leaf.hasGradient = true;
    return {m_gradients.bucket(leaf.bucket)
                .narrow(0, stack.offset - m_layout.buckets()[leaf.bucket].begin, elementCount(stack.shape))
                .view(stack.shape),
            isFilled};
}

void ParameterStore::announceGradient(std::size_t index) const
{
    if (!m_listener)
        return;
    const FlatLayout::Stack& stack = m_layout.stacks()[index];
    // Stacked parameters (query, key and value) are one leaf to autograd, and several to the buckets.
    for (std::size_t i = 0; i < stack.parameterCount; ++i)
        m_listener(stack.firstParameter + i);
}

const Parameter& ParameterStore::parameter(std::string_view name) const
{
    const auto found = m_indexOf.find(std::string(name));
    TRAINYARD_CHECK_MSG(found != m_indexOf.end(), std::string(name));
    return m_parameters[found->second];
}

std::size_t ParameterStore::ownedIndexOf(std::size_t parameter) const
{
    const auto found =
        std::ranges::find(m_owned, parameter, [](const OwnedTensor& owned) { return owned.piece.parameter; });
    TRAINYARD_CHECK(found != m_owned.end());
    return static_cast<std::size_t>(found - m_owned.begin());
}

const at::Tensor& ParameterStore::leaf(std::string_view firstName) const
{
    const auto found = m_indexOf.find(std::string(firstName));
    TRAINYARD_CHECK_MSG(found != m_indexOf.end(), std::string(firstName));
    const std::size_t stack = m_layout.stackOf()[found->second];
    TRAINYARD_CHECK_MSG(m_layout.stacks()[stack].firstParameter == found->second, std::string(firstName));
    return m_leaves[stack].working;
}

std::vector<at::Tensor> ParameterStore::leaves() const
{
    std::vector<at::Tensor> leaves;
    for (const Leaf& leaf : m_leaves)
        leaves.push_back(leaf.working);
    return leaves;
}

std::int64_t ParameterStore::parameterCount() const
{
    std::int64_t count = 0;
    for (const Parameter& parameter : m_parameters)
        count += parameter.count;
    return count;
}

// Every rank draws all that it holds, in the masters' type: nothing needs to be sent.
void ParameterStore::initialize(std::uint64_t seed, double standardDeviation)
{
    std::int64_t largest = 0;
    for (const Parameter& parameter : m_parameters)
        largest = std::max(largest, parameter.count);
    // One buffer for all: the first touch of fresh memory costs more than a number.
    const at::Tensor buffer = at::empty({largest}, masterScalarType(m_compute));
    auto owned = m_owned.begin();
    for (std::size_t i = 0; i < m_parameters.size(); ++i) {
        const Parameter& parameter = m_parameters[i];
        const at::Tensor values = buffer.narrow(0, 0, parameter.count);
        drawSlice(values, parameter.spec, m_layout.slices()[i], seed, standardDeviation);
        if (parameter.working.defined())
            parameter.working.view({-1}).copy_(values);
        for (; owned != m_owned.end() && owned->piece.parameter == i; ++owned)
            owned->master.copy_(values.narrow(0, owned->piece.firstElement, owned->piece.count));
    }
    if (m_weights.residence() == WeightResidence::Sharded)
        refreshWorkingCopy();
}

void ParameterStore::refreshWorkingCopy()
{
    refreshCopies(Refreshed::All);
}

void ParameterStore::refreshCopies(Refreshed which)
{
    for (const OwnedTensor& owned : m_owned) {
        if (which == Refreshed::Trained && owned.isFrozen())
            continue;
        if (!owned.working.is_alias_of(owned.master))
            owned.working.copy_(owned.master);
    }
}

void ParameterStore::beginUpdate()
{
    if (m_updated.is_same(m_masters))
        return;
    const MemoryScope scope(MemoryCategory::Weights);
    const PhaseScope phase(StepPhase::Offload);
    giveMemory(m_updated);
    m_updated.copy_(m_masters.narrow(0, 0, m_updated.numel()));
}

void ParameterStore::endUpdate()
{
    if (m_updated.is_same(m_masters) && !m_placement.offloadsOptimizer)
        return;
    const PhaseScope phase(StepPhase::Offload);
    if (!m_updated.is_same(m_masters)) {
        m_masters.narrow(0, 0, m_updated.numel()).copy_(m_updated);
        takeMemory(m_updated);
    }
    if (m_placement.offloadsOptimizer)
        refreshCopies(Refreshed::Trained);
}

void ParameterStore::placeOwnedWeights(std::size_t bucket)
{
    m_weights.allocate(bucket);
    const at::Tensor part = m_weights.ownedPart(bucket);
    part.copy_(m_kept.narrow(0, m_layout.buckets()[bucket].shardBegin, part.numel()));
}

at::Tensor ParameterStore::gradientOf(std::size_t parameter)
{
    const std::size_t bucket = m_layout.bucketOf()[parameter];
    const SliceGeometry& slice = m_layout.slices()[parameter];
    const std::int64_t first = m_layout.offsets()[parameter] - m_layout.buckets()[bucket].begin;
    return m_gradients.bucket(bucket).narrow(0, first, slice.count()).view(slice.shape());
}

void ParameterStore::beginGradients()
{
    for (Leaf& leaf : m_leaves)
        leaf.hasGradient = false;
    m_gradients.beginStep();
}

void ParameterStore::setGradientListener(std::function<void(std::size_t)> listener)
{
    m_listener = std::move(listener);
}

} // namespace trainyard

#include "engine/parallel/data/gradient_reducer.h"

#include "engine/comm/phase_clock.h"
#include "engine/comm/process_group.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/nn/tensor_memory.h"

namespace trainyard {

namespace {

bool isAlone(const HolderGroup& holders)
{
    return holders.ownerShare().ranks * holders.copyShare().ranks == 1;
}

HolderGroup holdersOf(const ParameterStore& parameters, ProcessGroup& group)
{
    return parameters.layout().sharding().owner.ranks > 1 ? HolderGroup(&group, nullptr)
                                                          : HolderGroup(nullptr, &group);
}

} // namespace

GradientReducer::GradientReducer(ParameterStore& parameters, ProcessGroup& group)
    : GradientReducer(parameters, holdersOf(parameters, group), TensorGroup())
{
}

GradientReducer::GradientReducer(ParameterStore& parameters, Holders holders, TensorGroup tensor)
    : m_parameters(parameters)
    , m_holders(holders)
    , m_tensor(tensor)
    , m_bucketsPass(parameters.gradients().bucketsPass())
    , m_keepsPerPass(shardsGradients() || (m_bucketsPass && isAlone(holders.of(false))))
{
    for (const Bucket& bucket : parameters.layout().buckets())
        TRAINYARD_CHECK(bucket.owner == holders.of(bucket.isOfExperts).ownerShare());
    m_parameters.setGradientListener([this](std::size_t parameter) { onGradient(parameter); });
}

GradientReducer::~GradientReducer()
{
    m_parameters.setGradientListener({});
}

bool GradientReducer::reducesAfter(std::size_t done, std::size_t count) const
{
    return m_keepsPerPass || done + 1 == count;
}

bool GradientReducer::shardsGradients() const
{
    return m_parameters.gradients().residence() == GradientResidence::Sharded;
}

void GradientReducer::arm(Completes completes)
{
    TRAINYARD_CHECK(m_works.empty());
    m_missing.clear();
    const FlatLayout& layout = m_parameters.layout();
    for (std::size_t bucket = 0; bucket < layout.trainedBuckets(); ++bucket)
        m_missing.push_back(layout.buckets()[bucket].parameters.size());
    m_isSummed.assign(m_parameters.parameters().size(), false);
    m_completed = 0;
    m_completesStep = completes == Completes::Step;
    m_armed = true;
}

void GradientReducer::onGradient(std::size_t parameter)
{
    if (!m_armed)
        return;
    sumOverTensorRanks(parameter);
    std::size_t& missing = m_missing[m_parameters.layout().bucketOf()[parameter]];
    TRAINYARD_CHECK(missing > 0);
    if (--missing == 0)
        startReadyBuckets();
}

void GradientReducer::sumOverTensorRanks(std::size_t index)
{
    const Parameter& parameter = m_parameters.parameters()[index];
    const bool isSliced =
        m_tensor.slicesTokens && !parameter.spec.split.cuts() && parameter.spec.part != m_tensor.headPart;
    if (!m_tensor.group || !(isSliced || parameter.spec.isPartial) || m_isSummed[index])
        return;
    const PhaseScope phase(StepPhase::Tensor);
    // Each tensor rank has the gradient of its own tokens or heads alone. Before the data-parallel sum, which
    // takes the whole bucket and may leave this rank a part of it.
    m_tensor.group->allReduce(numbersOf(m_parameters.gradientOf(index)));
    m_isSummed[index] = true;
}

void GradientReducer::startReadyBuckets()
{
    // In the order of the buckets, not of their completion: autograd may finish them in another order on each
    // rank, and the collectives of the ranks must meet.
    while (m_works.size() < m_missing.size() && m_missing[m_works.size()] == 0)
        startNext();
}

void GradientReducer::startNext()
{
    const PhaseScope phase(StepPhase::Reduce);
    if ((m_bucketsPass || sumsOverCopies()) && m_works.size() > m_completed)
        completeNext(); // one bucket is reduced while the next one fills
    const Bucket& bucket = m_parameters.layout().buckets()[m_works.size()];
    const FloatSpan values = numbersOf(m_parameters.gradients().bucket(m_works.size()));
    m_works.push_back(m_holders.of(bucket.isOfExperts).reduceAsync(values));
}

void GradientReducer::completeNext()
{
    m_works[m_completed].wait();
    if (m_bucketsPass)
        m_parameters.gradients().keepOwnedPart(m_completed);
    if (m_completesStep)
        startSumOverCopies(m_completed);
    ++m_completed;
}

void GradientReducer::startSumOverCopies(std::size_t bucket)
{
    const HolderGroup& holders = m_holders.of(m_parameters.layout().buckets()[bucket].isOfExperts);
    if (holders.sumsOverCopies())
        m_copyWorks.push_back(
            holders.sumOverCopiesAsync(numbersOf(m_parameters.gradients().keptPart(bucket))));
}

void GradientReducer::finish()
{
    TRAINYARD_CHECK(m_armed);
    m_armed = false;
    // Behind a pipeline's passes these are all buckets; otherwise those of a parameter that no pass touched,
    // for the other ranks wait for them too.
    m_overlapped = m_works.size();
    while (m_works.size() < m_missing.size()) {
        for (const std::size_t parameter : m_parameters.layout().buckets()[m_works.size()].parameters)
            sumOverTensorRanks(parameter);
        startNext();
    }
    while (m_completed < m_works.size())
        completeNext();
    for (Work& work : m_copyWorks)
        work.wait();
    m_works.clear();
    m_copyWorks.clear();
}

} // namespace trainyard

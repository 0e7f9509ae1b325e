#include "engine/optim/logical_sums.h"

#include <algorithm>

#include "engine/comm/phase_clock.h"
#include "engine/comm/process_groups.h"
#include "engine/nn/parameters/parameter_store.h"

namespace trainyard {

namespace {

ProcessGroup* ifSeveral(const std::unique_ptr<ProcessGroup>& group)
{
    return group->size().value > 1 ? group.get() : nullptr;
}

void allReduce(ProcessGroup& group, std::span<double> values, StepPhase waiting)
{
    const PhaseScope phase(waiting);
    group.allReduce(values);
}

} // namespace

LogicalSums::LogicalSums(const ParameterStore& parameters, const ProcessGroups& groups)
    : m_owners(parameters.layout().sharding().ownerRanks > 1 ? groups.data.get() : nullptr)
    , m_tensor(ifSeveral(groups.tensor))
    , m_pipeline(ifSeveral(groups.pipeline))
{
    for (const Parameter& parameter : parameters.parameters()) {
        m_countsHere.push_back(parameter.spec.split.cuts() || groups.coordinates.tensor == 0);
        m_isShared.push_back(parameter.spec.isCopy);
    }
}

void LogicalSums::complete(std::vector<double>& sums, std::size_t columns) const
{
    sums.resize(std::max(sums.size(), m_countsHere.size() * columns));
    // First over the owners, which hold different elements of the same tensors; then over the tensor ranks,
    // which all hold the tensors that are not cut and must count them once.
    if (m_owners)
        allReduce(*m_owners, sums, StepPhase::Reduce);
    if (!m_tensor)
        return;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        if (!m_countsHere[i / columns])
            sums[i] *= 0; // stays not finite, so that the whole group learns of it
    }
    allReduce(*m_tensor, sums, StepPhase::Tensor);
}

double LogicalSums::total(const std::vector<double>& sums) const
{
    double total = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const bool isShared = !m_isShared.empty() && m_isShared[i];
        total += isShared ? 0 * sums[i] : sums[i];
    }
    if (m_pipeline)
        allReduce(*m_pipeline, {&total, 1}, StepPhase::Bubble);
    return total;
}

} // namespace trainyard

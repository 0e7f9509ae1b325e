#include "engine/optim/logical_sums.h"

#include <algorithm>
#include <functional>

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

LogicalSums::LogicalSums(const ParameterStore& parameters, const ProcessGroups& groups,
                         const Holders& holders)
    : m_pipeline(ifSeveral(groups.pipeline))
{
    const auto holdsPart = [&](const auto& isCut, const ProcessGroup& group) {
        std::vector<bool> counts;
        for (const Parameter& parameter : parameters.parameters())
            counts.push_back(isCut(parameter.spec) || group.isFirst());
        return counts;
    };
    // First over the owners, which hold different elements of the same tensors, experts included, of one copy
    // of each; where each owns all that it holds over those with other experts; then over the tensor ranks.
    std::vector<bool> isOfFirstCopy;
    for (const Parameter& parameter : parameters.parameters())
        isOfFirstCopy.push_back(holders.of(parameter.spec.isOfExperts).copyShare().rank == 0);
    if (!parameters.layout().ownsAll())
        m_sharing.push_back({groups.data.get(), isOfFirstCopy, StepPhase::Reduce});
    else if (ProcessGroup* const experts = ifSeveral(groups.expert))
        m_sharing.push_back(
            {experts, holdsPart(std::mem_fn(&ParameterSpec::isOfExperts), *experts), StepPhase::Reduce});
    if (ProcessGroup* const tensor = ifSeveral(groups.tensor))
        m_sharing.push_back({tensor,
                             holdsPart([](const ParameterSpec& spec) { return spec.split.cuts(); }, *tensor),
                             StepPhase::Tensor});
    for (const Parameter& parameter : parameters.parameters())
        m_isShared.push_back(parameter.spec.isCopy);
}

void LogicalSums::complete(std::vector<double>& sums, std::size_t columns) const
{
    sums.resize(std::max(sums.size(), m_isShared.size() * columns));
    for (const Sharing& sharing : m_sharing) {
        for (std::size_t i = 0; i < sums.size() && !sharing.countsHere.empty(); ++i) {
            if (!sharing.countsHere[i / columns])
                sums[i] *= 0; // stays not finite, so that the whole group learns of it
        }
        allReduce(*sharing.group, sums, sharing.waiting);
    }
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

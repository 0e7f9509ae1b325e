#include "engine/optim/logical_sums.h"

#include <algorithm>

#include "engine/comm/process_groups.h"
#include "engine/nn/parameter_store.h"

namespace trainyard {

namespace {

ProcessGroup* ifSeveral(const std::unique_ptr<ProcessGroup>& group)
{
    return group->size().value > 1 ? group.get() : nullptr;
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
    if (m_owners)
        m_owners->allReduce(std::span(sums));
    if (!m_tensor)
        return;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        if (!m_countsHere[i / columns])
            sums[i] *= 0; // stays not finite, so that the whole group learns of it
    }
    m_tensor->allReduce(std::span(sums));
}

double LogicalSums::total(const std::vector<double>& sums) const
{
    double total = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const bool isShared = !m_isShared.empty() && m_isShared[i];
        total += isShared ? 0 * sums[i] : sums[i];
    }
    if (m_pipeline)
        m_pipeline->allReduce(std::span<double>(&total, 1));
    return total;
}

} // namespace trainyard

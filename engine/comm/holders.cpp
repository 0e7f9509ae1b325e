#include "engine/comm/holders.h"

#include "engine/base/check.h"
#include "engine/comm/process_group.h"

namespace trainyard {

HolderGroup::HolderGroup(ProcessGroup* owners, ProcessGroup* copies) : m_owners(owners), m_copies(copies)
{
    TRAINYARD_CHECK(owners || copies);
}

Share HolderGroup::shareIn(const ProcessGroup* group)
{
    return group ? Share{group->rank().value, group->size().value} : Share();
}

Work HolderGroup::reduceAsync(FloatSpan bucket) const
{
    return m_owners ? m_owners->reduceScatterAsync(bucket) : m_copies->allReduceAsync(bucket);
}

Work HolderGroup::sumOverCopiesAsync(FloatSpan owned) const
{
    TRAINYARD_CHECK(sumsOverCopies());
    return m_copies->allReduceAsync(owned);
}

Work HolderGroup::gatherAsync(std::span<std::byte> bucket) const
{
    return m_owners ? m_owners->allGatherAsync(bucket) : Work();
}

} // namespace trainyard

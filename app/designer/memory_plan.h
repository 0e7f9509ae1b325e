#pragma once

#include <vector>

#include <QStringList>

#include "app/models/host_list_model.h"
#include "engine/planner/memory_fit.h"
#include "engine/planner/memory_model.h"

namespace trainyard {

/// The planner's estimate for a specification, ready to be drawn.
struct MemoryPlan {
    MemoryByCategory bytes{}; ///< of the most loaded rank
    Bytes total = 0;
    QStringList assumptions;
    std::vector<HostMemory> hosts; ///< only those that get a rank
};

/// Capacities come from the specification and from the last check of each host.
MemoryPlan planMemory(const RunSpec& spec, const SequenceShape& shape, const HostListModel& hosts);

} // namespace trainyard

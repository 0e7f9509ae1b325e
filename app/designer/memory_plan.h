#pragma once

#include <optional>
#include <vector>

#include <QString>
#include <QStringList>

#include "app/models/host_list_model.h"
#include "engine/planner/memory_model.h"

namespace trainyard {

/// What the ranks of one host are expected to need, beside what there is.
struct HostMemory {
    QString host;
    int ranks = 0;
    std::optional<Bytes> perRank; ///< memory of one rank's device or share of the host; nothing = unknown
};

/// The planner's estimate for a specification, ready to be drawn.
struct MemoryPlan {
    MemoryByCategory bytes{}; ///< of the most loaded rank
    Bytes total = 0;
    QStringList assumptions;
    std::vector<HostMemory> hosts; ///< only those that get a rank

    /// The tightest host, when the estimate exceeds what it has.
    std::optional<HostMemory> tooSmall() const;
};

/// Capacities come from the specification (`cluster.nodes[].memory`), else from the last check of the host:
/// its devices, or its main memory shared by the slots.
MemoryPlan planMemory(const RunSpec& spec, const SequenceShape& shape, const HostListModel& hosts);

} // namespace trainyard

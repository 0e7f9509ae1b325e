#include "engine/spec/run_spec.h"

namespace trainyard {

int ClusterSpec::totalSlots() const
{
    int slots = 0;
    for (const NodeSpec& node : nodes)
        slots += node.slotCount;
    return slots;
}

} // namespace trainyard

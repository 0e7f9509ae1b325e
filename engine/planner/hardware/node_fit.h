#pragma once

#include "engine/base/result.h"
#include "engine/planner/hardware/hardware.h"
#include "engine/planner/rank_need.h"

namespace trainyard {

/// The share of a device that may be planned. The rest is for the program, its libraries' buffers and gaps,
/// which no estimate counts. What ZeRO's authors reached is 0.82 of a device, activations counted in the rest
/// (arXiv:1910.02054, table 2).
constexpr double kUsableShare = 0.92;

/// What each of so many ranks on a node may use. Where the devices' memory is the host's, `host` is 0 and
/// `device` a share of it.
struct RankRoom {
    Bytes device = 0;
    Bytes host = 0;
};
/// Requires ranks >= 1.
RankRoom roomOnNode(const NodeModel& node, int ranks);

/// What the node's memory has to hold of it: where the devices' memory is the host's, all in one.
RankNeed needOnNode(const RankNeed& need, const NodeModel& node);

/// Whether such a need, needOnNode(), has its room.
constexpr bool fits(const RankNeed& need, const RankRoom& room)
{
    return need.onDevice <= room.device && need.onHost <= room.host;
}

/// Refused with what is too small, what there is and what is needed.
Status fitsNode(const RankNeed& need, const NodeModel& node, int ranks);

} // namespace trainyard

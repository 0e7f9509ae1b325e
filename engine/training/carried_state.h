#pragma once

#include <cstdint>

#include "engine/checkpoint/slice_snapshot.h"

namespace trainyard {

class ProcessGroup;
class Replica;
struct ProcessGroups;

/// The training state between two phases of a run, in host memory: taken from the replica of one phase,
/// given to that of the next, whose memory savings and stages may be others. Not a bit changes.
class CarriedState {
public:
    /// Copies this rank's part, each value on one rank only. `withOptimizer`: the moments as well.
    CarriedState(const Replica& replica, bool withOptimizer);

    /// Fills the replica: every rank sends its part to all. `updates`: what its optimizer has counted;
    /// without optimizer state its optimizer stays as it is. All ranks call it.
    void giveTo(Replica& replica, ProcessGroup& world, std::int64_t updates) const;

private:
    bool m_withOptimizer;
    SliceSnapshot m_part;
};

} // namespace trainyard

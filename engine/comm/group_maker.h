#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/ids.h"
#include "engine/comm/device_transport.h"

namespace trainyard {

class ProcessGroup;

/// Which ranks form a group. All members describe it in the same way.
struct GroupDescription {
    std::uint32_t number = 0;  ///< in the flight rings; unique in the run, 0 = all ranks
    std::vector<Rank> members; ///< global ranks, in order of their rank in the group
    /// False: for messages in host memory of another thread than the training thread. They are in no flight
    /// ring, whose collectives all ranks make in one order, and go through no device.
    bool isOfTraining = true;
    DeviceTraffic traffic = DeviceTraffic::Collectives; ///< of a group of training
};

/// Makes the process groups of one rank: the seam for MPI and threads.
class GroupMaker {
public:
    virtual ~GroupMaker() = default;

    virtual Rank rank() const = 0; ///< this rank among all
    virtual WorldSize worldSize() const = 0;
    /// This rank is one of the members; the other members make the same group, and ranks that share several
    /// groups make them in the same order. The group must be destroyed before its maker.
    virtual std::unique_ptr<ProcessGroup> make(const GroupDescription& description) = 0;

    /// The group over all ranks.
    std::unique_ptr<ProcessGroup> makeWorld();
};

} // namespace trainyard

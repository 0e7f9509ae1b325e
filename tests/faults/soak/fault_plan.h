#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tests/faults/soak/history.h"

namespace trainyard::soak {

enum class FaultKind {
    KillWorker,
    KillLauncher, ///< mpirun on the head, the MPI daemon elsewhere
    KillSupervisor,
    KillAgent,        ///< of the desk's links to one host
    ResetConnections, ///< sshd's processes of open connections
    KillDesk,
    CutLink,
    DelayLink,   ///< 200 ms each way
    LosePackets, ///< 5 % each way
    SlowLink,    ///< 1 MB/s each way
    FillDisk,
    SuspendWorker,
    JumpClock, ///< the wall clock of what computes on one host, or of the desk, an hour forward or back
};
constexpr int kFaultKinds = 13;
std::string_view nameOf(FaultKind kind);

struct PlannedFault {
    Moment atMs = 0;
    Moment lastsMs = 0; ///< 0 = over at once
    FaultKind kind = FaultKind::KillWorker;
    int host = 0; ///< `hosts` = the desk's own machine

    bool operator==(const PlannedFault&) const = default;
};

/// Faults in the order of their time, from 3 s on, all of them over at `lengthMs`. All kinds come once before
/// one comes again. Several may last at once, but one host has one fault of its link at a time. The same seed
/// gives the same plan everywhere.
std::vector<PlannedFault> planFaults(std::uint64_t seed, Moment lengthMs, int hosts);

} // namespace trainyard::soak

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
    LoseNode,  ///< the power of a host other than the head
    // From here on: of the checkpoints, on the head.
    CutShard, ///< of the newest complete checkpoint, as the next four
    DeleteShard,
    FlipBit,
    CutManifest,
    DeleteManifest,
    DeleteLatest,
    EmptyLatest,
    MisnameLatest, ///< it names a checkpoint that is not there
    GarbleLatest,
    GoBack,         ///< it names an older complete checkpoint, or one of a line that was left
    LeaveTemporary, ///< a folder as an interrupted writer leaves it
    HideFolder,     ///< cannot be read
    HideLatest,
    HideCheckpoint, ///< the manifest of the newest one
};
constexpr int kFaultKinds = 28;
std::string_view nameOf(FaultKind kind);
bool isOfCheckpoints(FaultKind kind);

struct PlannedFault {
    Moment atMs = 0;
    Moment lastsMs = 0; ///< 0 = over at once
    FaultKind kind = FaultKind::KillWorker;
    int host = 0;    ///< `hosts` = the desk's own machine
    int variant = 0; ///< where a fault can be done in several ways: which, from 0

    bool operator==(const PlannedFault&) const = default;
};

/// Faults in the order of their time, from 3 s on, all of them over at `lengthMs`: two of the checkpoints,
/// one of the others, and so on; all kinds of either come once before one comes again. Behind each of those
/// of the checkpoints comes, at the same time, what makes the run restart: KillWorker or LoseNode. Several
/// may last at once, but one host has one fault of its link at a time. The same seed gives the same plan
/// everywhere.
std::vector<PlannedFault> planFaults(std::uint64_t seed, Moment lengthMs, int hosts);

} // namespace trainyard::soak

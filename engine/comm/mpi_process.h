#pragma once

#include <memory>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/comm/group_maker.h"
#include "engine/comm/idle_sleep.h"

namespace trainyard {

class CommunicationThread;
class FlightRecorder;
class MpiOutbox;
class ProcessGroup;
class SharedArena;

/// MPI in this process, from initialisation to the end. One communication thread makes every MPI call
/// (MPI_THREAD_SERIALIZED). At most one object per process.
class MpiProcess : public GroupMaker {
public:
    /// True when mpirun or srun started this process as one rank of several; nothing is initialised.
    static bool isLaunched();
    /// This process's rank from the launcher, available before initialisation; 0 when not launched by MPI.
    static Rank launchedRank();

    /// Initialises MPI, with the settings of OpenMPI that suit ranks which compute while they communicate,
    /// unless the environment has others. Ranks that wait sleep.
    static Result<std::unique_ptr<MpiProcess>> start();
    /// Finalises MPI: every rank must call it, after its groups are destroyed.
    ~MpiProcess() override;
    MpiProcess(const MpiProcess&) = delete;
    MpiProcess& operator=(const MpiProcess&) = delete;

    Rank rank() const override { return m_rank; }
    WorldSize worldSize() const override { return m_size; }
    std::unique_ptr<ProcessGroup> make(const GroupDescription& description) override;
    /// Tells with how many threads each rank computes: where they leave a core to communication, ranks that
    /// wait no longer sleep (idle_sleep.h).
    void setThreads(int threadsPerRank);
    HostShare host() const { return m_host; }

    /// Groups made from now on write to this ring; it outlives them.
    void setRecorder(FlightRecorder* recorder) { m_recorder = recorder; }

    /// Groups made from now on access memory in it without copies; it outlives them. May be null.
    void setArena(const SharedArena* arena) { m_arena = arena; }

    /// Ends every rank of the job with this exit status; this one after 10 s at the latest, should the
    /// launcher not respond. Any thread, also while another is inside a collective.
    [[noreturn]] static void abort(int exitStatus);

private:
    MpiProcess() = default;

    std::shared_ptr<CommunicationThread> m_thread;
    std::shared_ptr<MpiOutbox> m_outbox;
    FlightRecorder* m_recorder = nullptr;
    const SharedArena* m_arena = nullptr;
    Rank m_rank;
    WorldSize m_size{1};
    HostShare m_host;
};

} // namespace trainyard

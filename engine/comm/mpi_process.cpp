#include "engine/comm/mpi_process.h"

#include <chrono>
#include <cstdlib>
#include <mpi.h>
#include <sched.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "engine/comm/communication_thread.h"
#include "engine/comm/flight_recorder.h"
#include "engine/comm/mpi_outbox.h"
#include "engine/comm/mpi_transport.h"
#include "engine/comm/process_group.h"

namespace trainyard {

namespace {

/// What the launchers leave in the environment of each rank: OpenMPI's mpirun, PMIx (srun), PMI-1/2 (srun,
/// Hydra).
constexpr const char* kRankVariables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};

const char* launcherRank()
{
    for (const char* name : kRankVariables) {
        if (const char* value = std::getenv(name))
            return value;
    }
    return nullptr;
}

/// OpenMPI's settings for ranks that compute on the same cores on which their communication threads wait.
/// A waiting thread yields, which here may mean that it sleeps (idle_sleep.h); mpirun would have it spin
/// unless there are more ranks than cores. Messages go through shared buffers instead of the kernel (CMA),
/// which page-faults on both sides: all-reduce of 256 MiB on 2 ranks runs at 6.5 GB/s so and at 1.2 GB/s
/// otherwise, where malloc keeps freed memory (configureAllocator()).
void configureOpenMpi()
{
    ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    ::setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
}

/// All ranks of the job call it. Where each is bound to cores of its own, all those count.
HostShare shareOfHost()
{
    MPI_Comm here = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    cpu_set_t cores;
    CPU_ZERO(&cores);
    ::sched_getaffinity(0, sizeof cores, &cores); // none where the host has more than a set can say
    MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof cores, MPI_BYTE, MPI_BOR, here);
    HostShare host;
    MPI_Comm_size(here, &host.ranks);
    host.cores = CPU_COUNT(&cores);
    MPI_Comm_free(&here);
    return host;
}

MPI_Comm communicatorOf(const GroupDescription& description, WorldSize worldSize)
{
    if (description.members.size() == static_cast<std::size_t>(worldSize.value) && description.number == 0)
        return MPI_COMM_WORLD;
    std::vector<int> ranks;
    for (const Rank member : description.members)
        ranks.push_back(member.value);
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Group members = MPI_GROUP_NULL;
    MPI_Comm communicator = MPI_COMM_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &members);
    MPI_Comm_create_group(MPI_COMM_WORLD, members, 0, &communicator); // only the members call it
    MPI_Group_free(&members);
    MPI_Group_free(&world);
    return communicator;
}

constexpr std::chrono::seconds kAbortLimit{10};

/// Whatever the calling thread waits for until then: the launcher sees the status of a rank that is gone,
/// too.
void endAfter(std::chrono::seconds limit, int exitStatus)
{
    try {
        std::thread([=] {
            std::this_thread::sleep_for(limit);
            ::_exit(exitStatus);
        }).detach();
    } catch (const std::system_error&) { // no thread left
    }
}

} // namespace

bool MpiProcess::isLaunched()
{
    return launcherRank() != nullptr;
}

Rank MpiProcess::launchedRank()
{
    const char* rank = launcherRank();
    return Rank{rank ? std::atoi(rank) : 0};
}

Result<std::unique_ptr<MpiProcess>> MpiProcess::start()
{
    configureOpenMpi();
    std::unique_ptr<MpiProcess> process(new MpiProcess);
    process->m_outbox = std::make_shared<MpiOutbox>();
    process->m_thread = std::make_shared<CommunicationThread>(
        [outbox = process->m_outbox] { return !outbox->isEmpty() && outbox->progress(); });
    int provided = MPI_THREAD_SINGLE;
    process->m_thread
        ->run([&] {
            MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
            MPI_Comm_rank(MPI_COMM_WORLD, &process->m_rank.value);
            MPI_Comm_size(MPI_COMM_WORLD, &process->m_size.value);
            process->m_host = shareOfHost();
        })
        .get();
    if (provided < MPI_THREAD_SERIALIZED)
        return failed("this MPI cannot be called from a communication thread",
                      "use an OpenMPI built with thread support");
    return process;
}

MpiProcess::~MpiProcess()
{
    if (m_thread)
        m_thread->run([] { MPI_Finalize(); }).get();
}

void MpiProcess::setThreads(int threadsPerRank)
{
    sleepWhereMpiYields(shareCores(m_host, threadsPerRank));
}

std::unique_ptr<ProcessGroup> MpiProcess::make(const GroupDescription& description)
{
    FlightRecorder* const recorder = description.isOfTraining ? m_recorder : nullptr;
    if (recorder)
        recorder->describe(description);
    ProcessGroup::Parts parts{nullptr, m_thread, recorder, description.number};
    m_thread
        ->run([&] {
            parts.transport =
                std::make_unique<MpiTransport>(communicatorOf(description, m_size), m_outbox, m_arena);
        })
        .get();
    return std::make_unique<ProcessGroup>(std::move(parts));
}

void MpiProcess::abort(int exitStatus)
{
    endAfter(kAbortLimit, exitStatus);
    // Against the letter of MPI_THREAD_SERIALIZED, as no collective can be interrupted; OpenMPI's abort only
    // speaks to the launcher, through PMIx, which has a thread and a lock of its own.
    int initialised = 0;
    MPI_Initialized(&initialised);
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (initialised && !finalised)
        MPI_Abort(MPI_COMM_WORLD, exitStatus);
    ::_exit(exitStatus);
}

} // namespace trainyard

#pragma once

namespace trainyard {

/// What the ranks of a host share.
struct HostShare {
    int ranks = 1;
    int cores = 1; ///< that one or more of them may use
};

/// Whether a rank that waits takes a core from one that computes, or from its own threads that do: each rank
/// has one more thread, which communicates.
constexpr bool shareCores(HostShare host, int threadsPerRank)
{
    return static_cast<long>(host.ranks) * (threadsPerRank + 1L) > host.cores;
}

/// Puts this program's own sched_yield() before the C library's. While `sleeps`, as from the start, a thread
/// that waits inside MPI spins for 20 us and sleeps 50 us at a time; else it yields, as it would without this
/// file. OpenMPI 5 has this as a setting (its yield strategy "nanosleep"); OpenMPI 4 can only spin or yield.
/// Where one thread of a process yields without end while another computes on the same core, Linux 6.18 lets
/// everything else on that core wait for tens of seconds, other processes too. Any thread.
void sleepWhereMpiYields(bool sleeps);

} // namespace trainyard

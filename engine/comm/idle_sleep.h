#pragma once

namespace trainyard {

/// Puts this program's own sched_yield() before the C library's: a thread that waits inside MPI then spins
/// for 20 us and sleeps 50 us at a time. OpenMPI 5 has this as a setting (its yield strategy "nanosleep");
/// OpenMPI 4 can only spin or yield. Where one thread of a process yields without end while another computes,
/// Linux 6.18 lets everything else on that core wait for tens of seconds, other processes too.
void sleepWhereMpiYields();

} // namespace trainyard

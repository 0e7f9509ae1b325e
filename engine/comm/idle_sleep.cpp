#include "engine/comm/idle_sleep.h"

#include <atomic>
#include <ctime>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr long kSpinNs = 20'000; ///< a message between ranks of one host takes about this long
constexpr long kSleepNs = 50'000;
constexpr long kPauseNs = 5'000; ///< after a longer pause between two calls a new wait begins

long nowNs()
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

std::atomic<bool> isSleeping = true; // the function below has no arguments
thread_local long waitingSince = 0;
thread_local long lastCall = 0;

} // namespace

/// OpenMPI calls it in a loop while a thread waits for a message.
extern "C" int sched_yield() noexcept
{
    if (!isSleeping.load(std::memory_order_relaxed))
        return static_cast<int>(::syscall(SYS_sched_yield));
    const long now = nowNs();
    if (now - lastCall > kPauseNs)
        waitingSince = now;
    lastCall = now;
    if (now - waitingSince > kSpinNs) {
        const timespec pause{0, kSleepNs};
        ::nanosleep(&pause, nullptr);
        lastCall = nowNs();
    }
    return 0;
}

namespace trainyard {

void sleepWhereMpiYields(bool sleeps)
{
    isSleeping = sleeps;
}

} // namespace trainyard

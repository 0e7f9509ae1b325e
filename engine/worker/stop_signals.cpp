#include "engine/worker/stop_signals.h"

#include <csignal>
#include <pthread.h>

namespace trainyard {

namespace {

/// Sent by the destructor to its own thread; nothing else uses it.
constexpr int kEndOfThread = SIGUSR2;

sigset_t watchedSignals()
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, kEndOfThread);
    return set;
}

} // namespace

StopSignals::StopSignals(std::function<void(const char*)> onSignal)
{
    const sigset_t set = watchedSignals();
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    m_thread = std::thread([this, onSignal = std::move(onSignal)] { loop(onSignal); });
}

StopSignals::~StopSignals()
{
    ::pthread_kill(m_thread.native_handle(), kEndOfThread);
    m_thread.join();
}

void StopSignals::loop(const std::function<void(const char*)>& onSignal)
{
    const sigset_t set = watchedSignals();
    int signal = 0;
    while (::sigwait(&set, &signal) == 0 && signal != kEndOfThread) {
        onSignal(signal == SIGINT ? "SIGINT" : "SIGTERM");
        m_flag = true;
    }
}

} // namespace trainyard

#include "remote/agent/supervise/signal_inbox.h"

#include <csignal>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace trainyard::agent {

SignalInbox::SignalInbox()
{
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP})
        sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    m_signals = FileDescriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

std::vector<int> SignalInbox::wait(std::chrono::milliseconds patience)
{
    pollfd wait{m_signals.get(), POLLIN, 0};
    ::poll(&wait, 1, static_cast<int>(patience.count()));
    std::vector<int> signals;
    signalfd_siginfo info;
    while (::read(m_signals.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info))
        signals.push_back(static_cast<int>(info.ssi_signo));
    return signals;
}

} // namespace trainyard::agent

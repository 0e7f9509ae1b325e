#include "app/cli/support/interrupt.h"

#include <csignal>
#include <sys/signalfd.h>
#include <unistd.h>

#include "engine/base/check.h"

namespace trainyard {

namespace {

sigset_t interruptSignals()
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

} // namespace

Interrupt::Interrupt(QObject* parent) : QObject(parent)
{
    const sigset_t set = interruptSignals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    m_descriptor = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    TRAINYARD_CHECK(m_descriptor >= 0);
    m_notifier = new QSocketNotifier(m_descriptor, QSocketNotifier::Read, this);
    connect(m_notifier, &QSocketNotifier::activated, this, [this] {
        signalfd_siginfo info;
        if (::read(m_descriptor, &info, sizeof info) == sizeof info)
            emit requested();
    });
}

Interrupt::~Interrupt()
{
    delete m_notifier;
    ::close(m_descriptor);
    const sigset_t set = interruptSignals();
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

} // namespace trainyard

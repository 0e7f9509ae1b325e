#include "tests/faults/soak/standstill.h"

#include <csignal>

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QThread>

#include "tests/support/patience.h"

namespace trainyard::soak {

namespace {

/// "T" of a thread that is stopped; nothing for one that is gone.
QByteArray stateOf(const QString& thread)
{
    QFile file(thread + "/stat");
    const QByteArray text = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    return text.mid(text.lastIndexOf(')') + 2, 1);
}

bool standsStill(qint64 process)
{
    const QDir threads(QString("/proc/%1/task").arg(process));
    for (const QString& thread : threads.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        const QByteArray state = stateOf(threads.filePath(thread));
        if (!state.isEmpty() && !QByteArray("TtZX").contains(state))
            return false;
    }
    return true;
}

} // namespace

/// A signal takes effect at a thread's next step into the kernel; one that writes just now finishes that.
Standstill::Standstill(const QList<qint64>& processes)
{
    for (const qint64 process : processes) {
        if (!standsStill(process) && ::kill(static_cast<pid_t>(process), SIGSTOP) == 0)
            m_stopped << process;
    }
    QElapsedTimer waiting;
    waiting.start();
    while (!std::ranges::all_of(m_stopped, standsStill) && waiting.elapsed() < kPatienceMs)
        QThread::msleep(1);
}

Standstill::~Standstill()
{
    for (const qint64 process : m_stopped)
        ::kill(static_cast<pid_t>(process), SIGCONT);
}

} // namespace trainyard::soak

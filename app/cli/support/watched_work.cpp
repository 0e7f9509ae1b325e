#include "app/cli/support/watched_work.h"

#include <QCoreApplication>

#include "app/cli/support/console.h"

namespace trainyard {

namespace {
constexpr qint64 kPatienceMs = 1000; ///< before progress is told
}

WatchedWork::WatchedWork(const QString& done) : m_done(done)
{
    QObject::connect(&m_interrupt, &Interrupt::requested, [this] { m_isWanted = false; });
    m_timer.start();
}

WatchedWork::~WatchedWork()
{
    console::transient({});
}

bool WatchedWork::goesOn(double share)
{
    QCoreApplication::processEvents();
    if (m_timer.elapsed() > kPatienceMs)
        console::transient(QStringLiteral("%1 %2 %").arg(m_done).arg(static_cast<int>(100 * share)));
    return m_isWanted;
}

} // namespace trainyard

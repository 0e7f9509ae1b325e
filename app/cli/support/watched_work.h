#pragma once

#include <QElapsedTimer>
#include <QString>

#include "app/cli/support/interrupt.h"

namespace trainyard {

/// Long work of the main thread that asks goesOn() now and then: Ctrl+C ends it, and what takes longer than a
/// moment tells on the terminal how far it is. The line is gone with this object.
class WatchedWork {
public:
    /// `done`: what has been done so far, as in "searched 40 %".
    explicit WatchedWork(const QString& done);
    ~WatchedWork();
    WatchedWork(const WatchedWork&) = delete;
    WatchedWork& operator=(const WatchedWork&) = delete;

    bool goesOn(double share);

private:
    Interrupt m_interrupt;
    QString m_done;
    QElapsedTimer m_timer;
    bool m_isWanted = true;
};

} // namespace trainyard

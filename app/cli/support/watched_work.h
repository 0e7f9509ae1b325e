#pragma once

#include <QElapsedTimer>
#include <QString>

#include "app/cli/support/interrupt.h"

namespace trainyard {

/// Long work on the main thread that calls goesOn() now and then: Ctrl+C stops it, and after a moment the
/// terminal shows its progress. The destructor clears that line.
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

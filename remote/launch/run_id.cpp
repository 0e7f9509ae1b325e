#include "remote/launch/run_id.h"

#include <QRandomGenerator>

#include "engine/base/clock.h"

namespace trainyard {

QString makeRunId(const QString& name)
{
    const QString stamp = QString::fromStdString(utcStamp(systemClock().now()));
    return QString("%1-%2-%3")
        .arg(stamp, name)
        .arg(QRandomGenerator::system()->bounded(0x10000), 4, 16, QChar('0'));
}

} // namespace trainyard

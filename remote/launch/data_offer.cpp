#include "remote/launch/data_offer.h"

#include "engine/base/units.h"

namespace trainyard {

namespace {

/// Nobody needs the seconds of minutes.
QString aboutText(std::chrono::milliseconds time)
{
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(time).count();
    const auto minutes = std::chrono::ceil<std::chrono::minutes>(time).count();
    if (seconds < 60)
        return QString(" (about %1 s)").arg(seconds);
    if (minutes < 60)
        return QString(" (about %1 min)").arg(minutes);
    return " (about " + QString::fromStdString(formatDuration(time)) + ')';
}

QString sizeText(qint64 bytes)
{
    return QString::fromStdString(formatBytes(static_cast<Bytes>(bytes)));
}

} // namespace

QString DataOffer::text() const
{
    QStringList parts;
    if (!hosts.isEmpty())
        parts << "send " + sizeText(bytes) + " to " + hosts.join(", ") +
                     (time ? aboutText(*time) : QString());
    if (!copyingHosts.isEmpty())
        parts << "copy " + sizeText(copiedBytes) + " on " + copyingHosts.join(", ");
    return parts.join(" and ");
}

} // namespace trainyard

#include "app/monitor/model/flight_recorder_text.h"

#include <algorithm>

#include <QObject>

#include "app/base/display_text.h"

namespace trainyard {

namespace {

constexpr std::size_t kMaxNamed = 8; ///< ranks of a group

QString groupText(const FlightSnapshot& ring, std::uint32_t group)
{
    const auto found = ring.groups.find(group);
    if (group == 0 || found == ring.groups.end())
        return group == 0 ? QObject::tr("all ranks") : QObject::tr("group %1").arg(group);
    QStringList ranks;
    for (std::size_t i = 0; i < std::min(kMaxNamed, found->second.size()); ++i)
        ranks << QString::number(found->second[i]);
    if (found->second.size() > kMaxNamed)
        ranks << QStringLiteral("…");
    return QObject::tr("ranks %1").arg(ranks.join(QStringLiteral(", ")));
}

QString lastCollective(const FlightSnapshot& ring)
{
    const FlightEntry& last = ring.entries.back();
    const QString kind = toQString(nameOf(last.kind));
    const QString number = displayCount(qint64(last.sequence)); // within the group
    const QString size = displayBytes(double(last.bytes));
    const QString ranks = groupText(ring, last.group);
    if (last.leftNs == 0)
        return QObject::tr("Last collective: %1 (number %2, %3, %4), not finished yet.")
            .arg(kind, number, size, ranks);
    return QObject::tr("Last collective: %1 (number %2, %3, %4), finished after %5.")
        .arg(kind, number, size, ranks, displaySeconds(double(last.leftNs - last.enteredNs) / 1e9));
}

} // namespace

QString flightRecorderText(const FlightSnapshot& ring)
{
    QString words =
        ring.step > 0
            ? QObject::tr("In %1 of step %2.").arg(toQString(nameOf(ring.activity)), displayCount(ring.step))
            : QObject::tr("Before its first step: %1.").arg(toQString(nameOf(ring.activity)));
    if (!ring.entries.empty())
        words += QLatin1Char(' ') + lastCollective(ring);
    return words;
}

} // namespace trainyard

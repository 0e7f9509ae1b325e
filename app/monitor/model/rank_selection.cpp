#include "app/monitor/model/rank_selection.h"

#include <set>

#include <QStringList>

namespace trainyard {

std::optional<std::vector<int>> ranksFrom(const QString& text, int worldSize)
{
    std::set<int> ranks;
    const bool all = text.trimmed().compare(QLatin1String("all"), Qt::CaseInsensitive) == 0;
    const QString written = all ? QStringLiteral("0-%1").arg(worldSize - 1) : text;
    for (const QString& part : written.split(QLatin1Char(','))) {
        const QStringList ends = part.split(QLatin1Char('-'));
        bool isFirst = false;
        bool isLast = false;
        const int first = ends.first().trimmed().toInt(&isFirst);
        const int last = ends.last().trimmed().toInt(&isLast);
        if (ends.size() > 2 || !isFirst || !isLast || first < 0 || last < first || last >= worldSize)
            return std::nullopt;
        for (int rank = first; rank <= last; ++rank)
            ranks.insert(rank);
    }
    return std::vector<int>(ranks.begin(), ranks.end());
}

QString textOf(const std::vector<int>& ranks, int worldSize)
{
    if (worldSize > 1 && ranks.size() == std::size_t(worldSize))
        return QStringLiteral("all");
    QStringList parts;
    for (std::size_t first = 0; first < ranks.size();) {
        std::size_t last = first;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1)
            ++last;
        parts.append(last == first ? QString::number(ranks[first])
                                   : QStringLiteral("%1-%2").arg(ranks[first]).arg(ranks[last]));
        first = last + 1;
    }
    return parts.join(QStringLiteral(", "));
}

} // namespace trainyard

#include "app/report/equal_hosts.h"

namespace trainyard {

namespace {

/// "gpu-08.cluster" as "gpu-", 8 in two digits, ".cluster"; no digits = a name without a number.
struct NumberedName {
    QString before;
    QString digits;
    QString after;
};

/// By the last number before the domain: that is what counts hosts.
NumberedName split(const QString& name)
{
    const qsizetype dot = name.indexOf(QLatin1Char('.'));
    qsizetype end = dot < 0 ? name.size() : dot;
    while (end > 0 && !name[end - 1].isDigit())
        --end;
    qsizetype begin = end;
    while (begin > 0 && name[begin - 1].isDigit())
        --begin;
    return {name.left(begin), name.mid(begin, end - begin), name.mid(end)};
}

bool isNext(const QString& name, const QString& before)
{
    const NumberedName a = split(before), b = split(name);
    bool counts = false;
    const qulonglong number = a.digits.toULongLong(&counts) + 1;
    return counts && a.before == b.before && a.after == b.after &&
           b.digits == QString::number(number).rightJustified(a.digits.size(), QLatin1Char('0'));
}

} // namespace

QString shortList(const QStringList& names)
{
    QStringList parts;
    for (qsizetype first = 0, last = 0; first < names.size(); first = ++last) {
        while (last + 1 < names.size() && isNext(names[last + 1], names[last]))
            ++last;
        parts << names[first];
        if (last - first == 1)
            parts << names[last];
        else if (last > first)
            parts.last() += QStringLiteral(" to ") + names[last];
    }
    return parts.join(QStringLiteral(", "));
}

ReportTable withEqualHostsFolded(const ReportTable& table)
{
    QList<QStringList> kinds; ///< what is said, without the host
    QList<QStringList> hosts; ///< of each kind
    for (const QStringList& row : table.rows) {
        qsizetype kind = kinds.indexOf(row.mid(1));
        if (kind < 0) {
            kind = kinds.size();
            kinds.append(row.mid(1));
            hosts.append(QStringList());
        }
        hosts[kind].append(row.first());
    }
    ReportTable folded{table.caption, table.columns, {}};
    for (qsizetype kind = 0; kind < kinds.size(); ++kind) {
        const qsizetype count = hosts[kind].size();
        const QString names = shortList(hosts[kind]);
        folded.rows.append(QStringList{count == 1 ? names : QStringLiteral("%1 x %2").arg(count).arg(names)} +
                           kinds[kind]);
    }
    return folded;
}

} // namespace trainyard

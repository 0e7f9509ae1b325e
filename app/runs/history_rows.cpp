#include "app/runs/history_rows.h"

#include <array>
#include <cmath>

#include <QJsonArray>
#include <QJsonDocument>
#include <QSqlQuery>

#include "app/base/display_text.h"

namespace trainyard {

namespace {

constexpr std::array kHistoryColumns{"id",
                                     "name",
                                     "hosts",
                                     "spec",
                                     "training",
                                     "state",
                                     "reason",
                                     "step",
                                     "steps",
                                     "loss",
                                     "best_held_out_loss",
                                     "seconds_to_target",
                                     "tokens_to_target",
                                     "sequences_per_second",
                                     "world_size",
                                     "attempt",
                                     "created_ms",
                                     "updated_ms",
                                     "imported_from",
                                     "tags",
                                     "notes",
                                     "archived"};
/// The last ones belong to the user and keep their values when a run's metrics are updated, as do the id and
/// created_ms, which decides the position in the list.
constexpr std::size_t kUserColumns = 3;

QStringList listFromJson(const QString& text)
{
    QStringList list;
    for (const QJsonValue& value : QJsonDocument::fromJson(text.toUtf8()).array())
        list.append(value.toString());
    return list;
}

QString stateName(RunState state)
{
    return toQString(nameOf(state));
}

/// SQLite has no NaN: it stores NULL.
QVariant number(double value)
{
    return std::isfinite(value) ? QVariant(value) : QVariant();
}

double number(const QVariant& value)
{
    return value.isNull() ? std::numeric_limits<double>::quiet_NaN() : value.toDouble();
}

QStringList columnNames()
{
    QStringList names;
    for (const char* name : kHistoryColumns)
        names.append(QLatin1String(name));
    return names;
}

/// Every column of a run, in the order of runValues().
QString insertStatement(const char* verb)
{
    const QStringList names = columnNames();
    return QStringLiteral("%1 INTO runs (%2) VALUES (%3)")
        .arg(QLatin1String(verb), names.join(QStringLiteral(", ")),
             QStringList(names.size(), QStringLiteral("?")).join(','));
}

} // namespace

QString selectRunsStatement()
{
    return QStringLiteral("SELECT %1 FROM runs").arg(columnNames().join(QStringLiteral(", ")));
}

const QString& storeRunStatement()
{
    static const QString kStatement = [] {
        const QStringList names = columnNames();
        QStringList updates;
        for (const QString& name : names.mid(1, names.size() - 1 - qsizetype(kUserColumns))) {
            if (name != QLatin1String("created_ms"))
                updates.append(QStringLiteral("%1 = excluded.%1").arg(name));
        }
        return insertStatement("INSERT") + QStringLiteral(" ON CONFLICT (id) DO UPDATE SET ") +
               updates.join(QStringLiteral(", "));
    }();
    return kStatement;
}

QString replaceRunStatement()
{
    return insertStatement("REPLACE");
}

QVariantList runValues(const RunEntry& e)
{
    return {textColumn(e.id),
            textColumn(e.name),
            listColumn(e.hosts),
            textColumn(e.spec),
            e.isTraining,
            stateName(e.state),
            textColumn(e.reason),
            e.step,
            e.steps,
            number(e.loss),
            number(e.bestHeldOutLoss),
            number(e.secondsToTarget),
            number(e.tokensToTarget),
            number(e.sequencesPerSecond),
            e.worldSize,
            e.attempt,
            e.createdMs,
            e.updatedMs,
            textColumn(e.importedFrom),
            listColumn(e.tags),
            textColumn(e.notes),
            e.isArchived};
}

RunEntry runFromRow(const QSqlQuery& row)
{
    RunEntry e;
    int at = 0;
    const auto next = [&] { return row.value(at++); };
    e.id = next().toString();
    e.name = next().toString();
    e.hosts = listFromJson(next().toString());
    e.spec = next().toString();
    e.isTraining = next().toBool();
    e.state = runStateFromName(next().toString().toStdString()).value_or(RunState::Pending);
    e.reason = next().toString();
    e.step = next().toLongLong();
    e.steps = next().toLongLong();
    e.loss = number(next());
    e.bestHeldOutLoss = number(next());
    e.secondsToTarget = number(next());
    e.tokensToTarget = number(next());
    e.sequencesPerSecond = number(next());
    e.worldSize = next().toInt();
    e.attempt = next().toInt();
    e.createdMs = next().toLongLong();
    e.updatedMs = next().toLongLong();
    e.importedFrom = next().toString();
    e.tags = listFromJson(next().toString());
    e.notes = next().toString();
    e.isArchived = next().toBool();
    return e;
}

QString listColumn(const QStringList& list)
{
    return QString::fromUtf8(QJsonDocument(QJsonArray::fromStringList(list)).toJson(QJsonDocument::Compact));
}

/// SQLite's NOT NULL columns refuse Qt's null strings.
QString textColumn(const QString& text)
{
    return text.isNull() ? QLatin1String("") : text;
}

} // namespace trainyard

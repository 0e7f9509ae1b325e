#include "app/runs/run_database.h"

#include <algorithm>
#include <atomic>

#include <QSet>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QVariant>

#include "app/runs/history_problem.h"
#include "app/runs/history_rows.h"
#include "app/runs/history_schema.h"

namespace trainyard {

namespace {

const QString kReadHistory = QStringLiteral("read the history");

bool isNewer(const RunEntry& a, const RunEntry& b)
{
    return a.createdMs != b.createdMs ? a.createdMs > b.createdMs : a.id > b.id;
}

} // namespace

RunDatabase::RunDatabase(QString connection) : m_connection(std::move(connection)) {}

RunDatabase::~RunDatabase()
{
    QSqlDatabase::removeDatabase(m_connection);
}

QSqlDatabase RunDatabase::database() const
{
    return QSqlDatabase::database(m_connection, false);
}

Result<std::unique_ptr<RunDatabase>> RunDatabase::open(const QString& file,
                                                       std::chrono::milliseconds patience)
{
    TRAINYARD_TRY_STATUS(checkHistoryFile(file));
    static std::atomic<int> counter = 0; // Qt names connections globally; several histories may be open
    const QString connection = QStringLiteral("history-%1").arg(++counter);
    std::unique_ptr<RunDatabase> history(new RunDatabase(connection));
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), connection);
        database.setDatabaseName(file);
        database.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=%1").arg(patience.count()));
        if (!database.open())
            return historyError(file, QStringLiteral("open the history"), database.lastError());
    }
    TRAINYARD_TRY_STATUS(prepareHistorySchema(history->database(), patience));
    TRAINYARD_TRY(history->m_counter, history->changeCounter());
    TRAINYARD_TRY(history->m_runs, history->read());
    for (const RunEntry& entry : std::as_const(history->m_runs))
        history->m_createdMs.insert(entry.id, entry.createdMs);
    return history;
}

Error RunDatabase::problem(const QString& doing, const QSqlQuery& query) const
{
    return historyError(database().databaseName(), doing, query.lastError());
}

Result<QList<RunEntry>> RunDatabase::read() const
{
    QSqlQuery query(database());
    query.setForwardOnly(true);
    if (!query.exec(selectRunsStatement()))
        return problem(kReadHistory, query);
    QList<RunEntry> runs;
    while (query.next())
        runs.append(runFromRow(query));
    if (query.lastError().isValid()) // a damaged page ends the rows early
        return problem(kReadHistory, query);
    std::sort(runs.begin(), runs.end(), isNewer);
    return runs;
}

Result<qint64> RunDatabase::changeCounter() const
{
    QSqlQuery query(database());
    if (!query.exec(QStringLiteral("PRAGMA data_version")) || !query.next())
        return problem(kReadHistory, query);
    return query.value(0).toLongLong();
}

Status RunDatabase::refresh()
{
    TRAINYARD_TRY(const qint64 counter, changeCounter());
    if (counter == m_counter)
        return {};
    TRAINYARD_TRY(const QList<RunEntry> runs, read());
    m_counter = counter;
    QSet<QString> there;
    for (const RunEntry& entry : runs)
        there.insert(entry.id);
    for (int row = int(m_runs.size()) - 1; row >= 0; --row) {
        if (!there.contains(m_runs[row].id))
            drop(row);
    }
    for (const RunEntry& entry : runs)
        put(entry);
    return {};
}

std::optional<RunEntry> RunDatabase::find(const QString& id) const
{
    const int row = rowOf(id);
    return row < 0 ? std::nullopt : std::optional(m_runs[row]);
}

int RunDatabase::rowOf(const QString& id) const
{
    const auto created = m_createdMs.find(id);
    if (created == m_createdMs.end())
        return -1;
    RunEntry wanted;
    wanted.id = id;
    wanted.createdMs = *created;
    return int(std::lower_bound(m_runs.begin(), m_runs.end(), wanted, isNewer) - m_runs.begin());
}

QStringList RunDatabase::tags() const
{
    QSet<QString> all;
    for (const RunEntry& entry : m_runs)
        all.unite({entry.tags.begin(), entry.tags.end()});
    QStringList sorted(all.begin(), all.end());
    sorted.sort(Qt::CaseInsensitive);
    return sorted;
}

Status RunDatabase::execute(QSqlQuery& query, const QString& doing) const
{
    return query.exec() ? Status() : Status(problem(doing, query));
}

/// Stores the entry in memory and emits runAdded or runChanged.
void RunDatabase::put(const RunEntry& entry)
{
    const int known = rowOf(entry.id);
    if (known >= 0 && m_runs[known].createdMs == entry.createdMs) {
        if (m_runs[known] == entry)
            return;
        m_runs[known] = entry;
        emit runChanged(known);
        return;
    }
    if (known >= 0)
        drop(known);
    const auto place = std::upper_bound(m_runs.begin(), m_runs.end(), entry, isNewer);
    const int row = int(place - m_runs.begin());
    m_runs.insert(row, entry);
    m_createdMs.insert(entry.id, entry.createdMs);
    emit runAdded(row);
}

void RunDatabase::drop(int row)
{
    m_createdMs.remove(m_runs[row].id);
    m_runs.removeAt(row);
    emit runRemoved(row);
}

Status RunDatabase::store(const RunEntry& entry)
{
    RunEntry updated = entry;
    if (const int row = rowOf(entry.id); row >= 0) {
        const RunEntry& known = m_runs[row];
        updated.tags = known.tags;
        updated.notes = known.notes;
        updated.isArchived = known.isArchived;
        updated.createdMs = known.createdMs; // keeps the place in the list
        if (updated == known)
            return {};
    }
    TRAINYARD_TRY_STATUS(write(updated, storeRunStatement()));
    put(updated);
    return {};
}

Status RunDatabase::storeAll(const QList<RunEntry>& entries)
{
    const QString doing = QStringLiteral("write the runs");
    QSqlQuery query(database());
    if (!query.exec(QStringLiteral("BEGIN IMMEDIATE")))
        return problem(doing, query);
    Status written;
    for (qsizetype i = 0; written.ok() && i < entries.size(); ++i)
        written = write(entries[i], replaceRunStatement());
    if (written.ok() && !query.exec(QStringLiteral("COMMIT")))
        written = problem(doing, query);
    if (!written.ok()) {
        query.exec(QStringLiteral("ROLLBACK"));
        return written;
    }
    for (const RunEntry& entry : entries)
        put(entry);
    return {};
}

Status RunDatabase::write(const RunEntry& entry, const QString& statement)
{
    QSqlQuery query(database());
    query.prepare(statement);
    for (const QVariant& value : runValues(entry))
        query.addBindValue(value);
    return execute(query, QStringLiteral("write run %1").arg(entry.id));
}

Status RunDatabase::setTags(const QString& id, const QStringList& tags)
{
    RunEntry changed = find(id).value_or(RunEntry{});
    changed.tags = tags;
    return keep(id, "tags", listColumn(tags), changed);
}

Status RunDatabase::setNotes(const QString& id, const QString& notes)
{
    RunEntry changed = find(id).value_or(RunEntry{});
    changed.notes = notes;
    return keep(id, "notes", textColumn(notes), changed);
}

Status RunDatabase::setArchived(const QString& id, bool archived)
{
    RunEntry changed = find(id).value_or(RunEntry{});
    changed.isArchived = archived;
    return keep(id, "archived", archived, changed);
}

Status RunDatabase::keep(const QString& id, const char* column, const QVariant& value,
                         const RunEntry& changed)
{
    const Error unknown = badInput("the history has no run " + id.toStdString());
    const int row = rowOf(id);
    if (row < 0)
        return unknown;
    if (changed == m_runs[row])
        return {};
    QSqlQuery query(database());
    query.prepare(QStringLiteral("UPDATE runs SET %1 = ? WHERE id = ?").arg(QLatin1String(column)));
    query.addBindValue(value);
    query.addBindValue(id);
    TRAINYARD_TRY_STATUS(execute(query, QStringLiteral("write run %1").arg(id)));
    if (query.numRowsAffected() == 0) // another window removed it
        return unknown;
    put(changed);
    return {};
}

Status RunDatabase::remove(const QString& id)
{
    const int row = rowOf(id);
    if (row < 0)
        return {};
    QSqlQuery query(database());
    query.prepare(QStringLiteral("DELETE FROM runs WHERE id = ?"));
    query.addBindValue(id);
    TRAINYARD_TRY_STATUS(execute(query, QStringLiteral("remove run %1").arg(id)));
    drop(row);
    return {};
}

} // namespace trainyard

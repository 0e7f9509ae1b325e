#include "app/models/run_library.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include <QJsonArray>
#include <QJsonDocument>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QVariant>

namespace trainyard {

namespace {

constexpr int kSchemaVersion = 1;

constexpr auto kCreate = R"(
CREATE TABLE IF NOT EXISTS runs (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, hosts TEXT NOT NULL, spec TEXT NOT NULL, training INTEGER NOT NULL,
    state TEXT NOT NULL, reason TEXT NOT NULL, step INTEGER NOT NULL, steps INTEGER NOT NULL,
    loss REAL, sequences_per_second REAL, world_size INTEGER NOT NULL, attempt INTEGER NOT NULL,
    created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL, tags TEXT NOT NULL, notes TEXT NOT NULL
) WITHOUT ROWID)";

constexpr auto kColumns = "id, name, hosts, spec, training, state, reason, step, steps, loss, "
                          "sequences_per_second, world_size, attempt, created_ms, updated_ms, tags, notes";

QString listToJson(const QStringList& list)
{
    return QString::fromUtf8(QJsonDocument(QJsonArray::fromStringList(list)).toJson(QJsonDocument::Compact));
}

QStringList listFromJson(const QString& text)
{
    QStringList list;
    for (const QJsonValue& value : QJsonDocument::fromJson(text.toUtf8()).array())
        list.append(value.toString());
    return list;
}

QString stateName(RunState state)
{
    return QString::fromUtf8(nameOf(state).data());
}

RunState stateFromName(const QString& name)
{
    for (int i = 0; i <= int(RunState::Stopped); ++i) {
        if (stateName(RunState(i)) == name)
            return RunState(i);
    }
    return RunState::Pending;
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

/// SQLite's NOT NULL columns refuse Qt's null strings.
QString text(const QString& value)
{
    return value.isNull() ? QLatin1String("") : value;
}

QVariantList valuesOf(const RunEntry& e)
{
    return {text(e.id),
            text(e.name),
            listToJson(e.hosts),
            text(e.spec),
            e.isTraining,
            stateName(e.state),
            text(e.reason),
            e.step,
            e.steps,
            number(e.loss),
            number(e.sequencesPerSecond),
            e.worldSize,
            e.attempt,
            e.createdMs,
            e.updatedMs,
            listToJson(e.tags),
            text(e.notes)};
}

RunEntry entryFrom(const QSqlQuery& row)
{
    RunEntry e;
    int at = 0;
    const auto next = [&] { return row.value(at++); };
    e.id = next().toString();
    e.name = next().toString();
    e.hosts = listFromJson(next().toString());
    e.spec = next().toString();
    e.isTraining = next().toBool();
    e.state = stateFromName(next().toString());
    e.reason = next().toString();
    e.step = next().toLongLong();
    e.steps = next().toLongLong();
    e.loss = number(next());
    e.sequencesPerSecond = number(next());
    e.worldSize = next().toInt();
    e.attempt = next().toInt();
    e.createdMs = next().toLongLong();
    e.updatedMs = next().toLongLong();
    e.tags = listFromJson(next().toString());
    e.notes = next().toString();
    return e;
}

bool isNewer(const RunEntry& a, const RunEntry& b)
{
    return a.createdMs != b.createdMs ? a.createdMs > b.createdMs : a.id > b.id;
}

Error sqlError(const QString& what, const QSqlError& problem)
{
    return badInput(
        (what + ": " + problem.text().trimmed()).toStdString(),
        "close other programs that use the history, check the disk, or move the file away to start "
        "a new history; the runs themselves are kept elsewhere");
}

Status execute(QSqlQuery& query, const QString& what)
{
    if (!query.exec())
        return sqlError(what, query.lastError());
    return {};
}

} // namespace

RunLibrary::RunLibrary(QString connection) : m_connection(std::move(connection)) {}

RunLibrary::~RunLibrary()
{
    QSqlDatabase::removeDatabase(m_connection);
}

QSqlDatabase RunLibrary::database() const
{
    return QSqlDatabase::database(m_connection, false);
}

Result<std::unique_ptr<RunLibrary>> RunLibrary::open(const QString& file)
{
    static std::atomic<int> counter = 0; // Qt names connections globally; several libraries may be open
    const QString connection = QStringLiteral("history-%1").arg(++counter);
    std::unique_ptr<RunLibrary> library(new RunLibrary(connection));
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), connection);
        database.setDatabaseName(file);
        database.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=5000"));
        if (!database.open())
            return sqlError(file, database.lastError());
    }
    TRAINYARD_TRY_STATUS(library->prepareSchema(file));
    TRAINYARD_TRY_STATUS(library->load());
    return library;
}

Status RunLibrary::prepareSchema(const QString& file)
{
    QSqlQuery query(database());
    if (!query.exec(QStringLiteral("PRAGMA journal_mode = WAL")) ||
        !query.exec(QStringLiteral("PRAGMA synchronous = NORMAL")) ||
        !query.exec(QStringLiteral("PRAGMA user_version")) || !query.next())
        return sqlError(file, query.lastError());
    const int version = query.value(0).toInt();
    query.finish();
    if (version > kSchemaVersion)
        return refused(file.toStdString() + ": this history was written by a newer version of Trainyard",
                       "use that version, or move the file away to start a new history");
    if (version == kSchemaVersion)
        return {};
    // A transaction, because two windows may start at once.
    if (!query.exec(QStringLiteral("BEGIN IMMEDIATE")) || !query.exec(QString::fromLatin1(kCreate)) ||
        !query.exec(QStringLiteral("PRAGMA user_version = %1").arg(kSchemaVersion)) ||
        !query.exec(QStringLiteral("COMMIT"))) {
        const QSqlError problem = query.lastError();
        query.exec(QStringLiteral("ROLLBACK"));
        return sqlError(file, problem);
    }
    return {};
}

Status RunLibrary::load()
{
    QSqlQuery query(database());
    if (!query.exec(QStringLiteral("SELECT %1 FROM runs").arg(QLatin1String(kColumns))))
        return sqlError(QStringLiteral("read the history"), query.lastError());
    while (query.next())
        m_runs.append(entryFrom(query));
    std::sort(m_runs.begin(), m_runs.end(), isNewer);
    return {};
}

std::optional<RunEntry> RunLibrary::find(const QString& id) const
{
    const int row = rowOf(id);
    return row < 0 ? std::nullopt : std::optional(m_runs[row]);
}

int RunLibrary::rowOf(const QString& id) const
{
    const auto found =
        std::find_if(m_runs.begin(), m_runs.end(), [&](const RunEntry& e) { return e.id == id; });
    return found == m_runs.end() ? -1 : int(found - m_runs.begin());
}

Status RunLibrary::write(const RunEntry& entry)
{
    const QVariantList values = valuesOf(entry);
    QStringList marks;
    for (qsizetype i = 0; i < values.size(); ++i)
        marks.append(QStringLiteral("?"));
    QSqlQuery query(database());
    query.prepare(QStringLiteral("INSERT OR REPLACE INTO runs (%1) VALUES (%2)")
                      .arg(QLatin1String(kColumns), marks.join(", ")));
    for (const QVariant& value : values)
        query.addBindValue(value);
    return execute(query, QStringLiteral("write run %1 to the history").arg(entry.id));
}

Status RunLibrary::store(const RunEntry& entry)
{
    if (rowOf(entry.id) >= 0) {
        return amend(entry.id, [&](RunEntry& known) {
            RunEntry updated = entry;
            updated.tags = known.tags;
            updated.notes = known.notes;
            updated.createdMs = known.createdMs; // keeps the place in the list
            known = updated;
        });
    }
    TRAINYARD_TRY_STATUS(write(entry));
    const auto place = std::upper_bound(m_runs.begin(), m_runs.end(), entry, isNewer);
    const int row = int(place - m_runs.begin());
    m_runs.insert(place, entry);
    emit runAdded(row);
    return {};
}

Status RunLibrary::setTags(const QString& id, const QStringList& tags)
{
    return amend(id, [&](RunEntry& entry) { entry.tags = tags; });
}

Status RunLibrary::setNotes(const QString& id, const QString& notes)
{
    return amend(id, [&](RunEntry& entry) { entry.notes = notes; });
}

Status RunLibrary::amend(const QString& id, const std::function<void(RunEntry&)>& change)
{
    const int row = rowOf(id);
    if (row < 0)
        return badInput("the history has no run " + id.toStdString());
    RunEntry updated = m_runs[row];
    change(updated);
    if (updated == m_runs[row])
        return {};
    TRAINYARD_TRY_STATUS(write(updated));
    m_runs[row] = updated;
    emit runChanged(row);
    return {};
}

Status RunLibrary::remove(const QString& id)
{
    const int row = rowOf(id);
    if (row < 0)
        return {};
    QSqlQuery query(database());
    query.prepare(QStringLiteral("DELETE FROM runs WHERE id = ?"));
    query.addBindValue(id);
    TRAINYARD_TRY_STATUS(execute(query, QStringLiteral("remove run %1 from the history").arg(id)));
    m_runs.removeAt(row);
    emit runRemoved(row);
    return {};
}

} // namespace trainyard

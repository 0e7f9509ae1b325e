#include "app/runs/history_schema.h"

#include <array>
#include <optional>

#include <QElapsedTimer>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QThread>
#include <QVariant>

#include "app/runs/history_problem.h"

namespace trainyard {

namespace {

constexpr int kSchemaVersion = 3;
constexpr int kBusyPauseMs = 5;

constexpr auto kCreate = R"(
CREATE TABLE IF NOT EXISTS runs (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, hosts TEXT NOT NULL, spec TEXT NOT NULL, training INTEGER NOT NULL,
    state TEXT NOT NULL, reason TEXT NOT NULL, step INTEGER NOT NULL, steps INTEGER NOT NULL,
    loss REAL, sequences_per_second REAL, world_size INTEGER NOT NULL, attempt INTEGER NOT NULL,
    created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL, tags TEXT NOT NULL, notes TEXT NOT NULL,
    archived INTEGER NOT NULL DEFAULT 0, imported_from TEXT NOT NULL DEFAULT '', best_held_out_loss REAL,
    seconds_to_target REAL, tokens_to_target REAL
) WITHOUT ROWID)";

/// A column that a version added to the table of those before it.
struct Upgrade {
    int version;
    const char* statement;
};
constexpr std::array kUpgrades{
    Upgrade{2, "ALTER TABLE runs ADD COLUMN archived INTEGER NOT NULL DEFAULT 0"},
    Upgrade{2, "ALTER TABLE runs ADD COLUMN imported_from TEXT NOT NULL DEFAULT ''"},
    Upgrade{3, "ALTER TABLE runs ADD COLUMN best_held_out_loss REAL"},
    Upgrade{3, "ALTER TABLE runs ADD COLUMN seconds_to_target REAL"},
    Upgrade{3, "ALTER TABLE runs ADD COLUMN tokens_to_target REAL"},
};

/// Retries, because SQLite ignores its busy timeout here while another program creates the history.
bool turnOnWriteAheadLog(QSqlQuery& query, std::chrono::milliseconds patience)
{
    QElapsedTimer waited;
    waited.start();
    while (!query.exec(QStringLiteral("PRAGMA journal_mode = WAL"))) {
        if (!isHistoryLocked(query.lastError()) || waited.hasExpired(patience.count()))
            return false;
        QThread::msleep(kBusyPauseMs);
    }
    return true;
}

/// The schema version of a file and its number of tables, read at one instant.
struct SchemaMark {
    int version = 0;
    int tables = 0; ///< and indices

    bool isNew() const { return version == 0 && tables == 0; }
    bool isOurs() const { return version > 0; }
};

std::optional<SchemaMark> schemaMark(QSqlQuery& query)
{
    if (!query.exec(QStringLiteral(
            "SELECT user_version, (SELECT count(*) FROM sqlite_master) FROM pragma_user_version")) ||
        !query.next())
        return std::nullopt;
    const SchemaMark mark{query.value(0).toInt(), query.value(1).toInt()};
    query.finish();
    return mark;
}

/// Creates or upgrades the schema in a transaction, because two windows may start at once: reads the version
/// again under the lock.
bool bringUpToDate(QSqlQuery& query)
{
    if (!query.exec(QStringLiteral("BEGIN IMMEDIATE")))
        return false;
    const auto known = schemaMark(query);
    if (!known || (!known->isNew() && !known->isOurs()))
        return false;
    if (known->isNew() && !query.exec(QString::fromLatin1(kCreate)))
        return false;
    for (const Upgrade& upgrade : kUpgrades) {
        const bool isOlder = known->isOurs() && known->version < upgrade.version;
        if (isOlder && !query.exec(QLatin1String(upgrade.statement)))
            return false;
    }
    return query.exec(QStringLiteral("PRAGMA user_version = %1").arg(kSchemaVersion)) &&
           query.exec(QStringLiteral("COMMIT"));
}

Error openError(const QSqlDatabase& database, const QSqlQuery& query)
{
    return historyError(database.databaseName(), QStringLiteral("open the history"), query.lastError());
}

} // namespace

Status prepareHistorySchema(const QSqlDatabase& database, std::chrono::milliseconds patience)
{
    QSqlQuery query(database);
    const auto present = schemaMark(query);
    if (!present)
        return openError(database, query);
    const std::string file = database.databaseName().toStdString();
    if (present->version > kSchemaVersion)
        return refused(file + ": this history was written by a newer version of Trainyard",
                       "use that version, or move the file away to start a new history");
    if (!present->isNew() && !present->isOurs())
        return badInput(file + ": this is a database of another program, not a history",
                        "move it away to start a new history");
    if (!turnOnWriteAheadLog(query, patience) || !query.exec(QStringLiteral("PRAGMA synchronous = NORMAL")))
        return openError(database, query);
    if (present->version == kSchemaVersion || bringUpToDate(query))
        return {};
    const Error why = openError(database, query);
    query.exec(QStringLiteral("ROLLBACK"));
    return why;
}

} // namespace trainyard

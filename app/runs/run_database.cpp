#include "app/runs/run_database.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <vector>

#include <QDateTime>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSet>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QThread>
#include <QVariant>

#include "app/base/display_text.h"
#include "app/runs/history_problem.h"
#include "app/runs/recorded_run.h"
#include "app/runs/time_to_target.h"

namespace trainyard {

namespace {

bool sameNumber(double a, double b)
{
    return a == b || (std::isnan(a) && std::isnan(b));
}

qint64 createdFromId(const QString& id)
{
    QDateTime time = QDateTime::fromString(id.section('-', 0, 0), QStringLiteral("yyyyMMdd'T'HHmmss'Z'"));
    time.setTimeSpec(Qt::UTC);
    return time.isValid() ? time.toMSecsSinceEpoch() : 0;
}

} // namespace

bool RunEntry::operator==(const RunEntry& o) const
{
    return id == o.id && name == o.name && hosts == o.hosts && spec == o.spec && isTraining == o.isTraining &&
           state == o.state && reason == o.reason && step == o.step && steps == o.steps &&
           sameNumber(loss, o.loss) && sameNumber(bestHeldOutLoss, o.bestHeldOutLoss) &&
           sameNumber(secondsToTarget, o.secondsToTarget) && sameNumber(tokensToTarget, o.tokensToTarget) &&
           sameNumber(sequencesPerSecond, o.sequencesPerSecond) && worldSize == o.worldSize &&
           attempt == o.attempt && createdMs == o.createdMs && updatedMs == o.updatedMs && tags == o.tags &&
           notes == o.notes && isArchived == o.isArchived && importedFrom == o.importedFrom;
}

void updateEntry(RunEntry& entry, const RunFacts& facts, const RunSeries& series)
{
    const RunStatus& status = series.status();
    const StepTable& steps = series.steps();
    if (entry.id.isEmpty() && facts.import)
        entry.tags = facts.import->tags;
    entry.id = facts.id;
    entry.name = facts.name();
    entry.hosts = facts.hosts;
    entry.spec = facts.specText;
    entry.isTraining = facts.spec.has_value() || facts.import.has_value();
    entry.importedFrom = facts.import ? facts.import->format : QString();
    entry.state = status.state;
    entry.reason = status.reason;
    entry.step = steps.isEmpty() ? status.step : qint64(steps.last(StepColumn::Step));
    entry.steps = status.steps > 0 ? status.steps : facts.spec ? facts.spec->launch.steps : 0;
    entry.loss = steps.last(StepColumn::Loss);
    entry.bestHeldOutLoss = series.evaluations().atLowestLoss(EvaluationColumn::Loss);
    const auto reached = facts.spec ? timeToTarget(*facts.spec, series) : std::optional<TimeToTarget>();
    entry.secondsToTarget = reached ? reached->seconds : std::nan("");
    entry.tokensToTarget = reached ? reached->tokens : std::nan("");
    entry.sequencesPerSecond = recentSequencesPerSecond(series);
    entry.worldSize = series.ranks().empty() ? (facts.spec ? facts.specNow()->layout.worldSize() : 0)
                                             : int(series.ranks().size());
    entry.attempt = int(status.attempt);
    if (entry.createdMs == 0)
        entry.createdMs = createdFromId(facts.id);
    if (entry.createdMs == 0)
        entry.createdMs = status.firstNs / 1'000'000;
    entry.updatedMs = std::max(entry.createdMs, qint64(series.newestNs() / 1'000'000));
}

double recentSequencesPerSecond(const RunSeries& series, qsizetype window)
{
    const SeriesColumn& all = series.steps().column(StepColumn::SequencesPerSecond);
    std::vector<double> recent;
    for (qsizetype i = std::max<qsizetype>(0, all.size() - window); i < all.size(); ++i) {
        if (std::isfinite(all[i]))
            recent.push_back(all[i]);
    }
    if (recent.empty())
        return std::numeric_limits<double>::quiet_NaN();
    const auto middle = recent.begin() + std::ptrdiff_t(recent.size() / 2);
    std::nth_element(recent.begin(), middle, recent.end());
    return *middle;
}

namespace {

constexpr int kSchemaVersion = 3;

constexpr int kBusyPauseMs = 5;

const QString kOpenHistory = QStringLiteral("open the history");
const QString kReadHistory = QStringLiteral("read the history");

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
            number(e.bestHeldOutLoss),
            number(e.secondsToTarget),
            number(e.tokensToTarget),
            number(e.sequencesPerSecond),
            e.worldSize,
            e.attempt,
            e.createdMs,
            e.updatedMs,
            text(e.importedFrom),
            listToJson(e.tags),
            text(e.notes),
            e.isArchived};
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

bool isNewer(const RunEntry& a, const RunEntry& b)
{
    return a.createdMs != b.createdMs ? a.createdMs > b.createdMs : a.id > b.id;
}

QStringList columnNames()
{
    QStringList names;
    for (const char* name : kHistoryColumns)
        names.append(QLatin1String(name));
    return names;
}

/// Every column of a run, in the order of valuesOf().
QString insertStatement(const char* verb)
{
    const QStringList names = columnNames();
    return QStringLiteral("%1 INTO runs (%2) VALUES (%3)")
        .arg(QLatin1String(verb), names.join(QStringLiteral(", ")),
             QStringList(names.size(), QStringLiteral("?")).join(','));
}

/// Inserts a run, or updates the metrics of a known one.
const QString& storeStatement()
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
            return historyError(file, kOpenHistory, database.lastError());
    }
    TRAINYARD_TRY_STATUS(history->prepareSchema(patience));
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

Status RunDatabase::prepareSchema(std::chrono::milliseconds patience)
{
    QSqlQuery query(database());
    const auto present = schemaMark(query);
    if (!present)
        return problem(kOpenHistory, query);
    const std::string file = database().databaseName().toStdString();
    if (present->version > kSchemaVersion)
        return refused(file + ": this history was written by a newer version of Trainyard",
                       "use that version, or move the file away to start a new history");
    if (!present->isNew() && !present->isOurs())
        return badInput(file + ": this is a database of another program, not a history",
                        "move it away to start a new history");
    if (!turnOnWriteAheadLog(query, patience) || !query.exec(QStringLiteral("PRAGMA synchronous = NORMAL")))
        return problem(kOpenHistory, query);
    if (present->version == kSchemaVersion || bringUpToDate(query))
        return {};
    const Error why = problem(kOpenHistory, query);
    query.exec(QStringLiteral("ROLLBACK"));
    return why;
}

Result<QList<RunEntry>> RunDatabase::read() const
{
    QSqlQuery query(database());
    query.setForwardOnly(true);
    if (!query.exec(QStringLiteral("SELECT %1 FROM runs").arg(columnNames().join(QStringLiteral(", ")))))
        return problem(kReadHistory, query);
    QList<RunEntry> runs;
    while (query.next())
        runs.append(entryFrom(query));
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
    TRAINYARD_TRY_STATUS(write(updated, storeStatement()));
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
        written = write(entries[i], insertStatement("REPLACE"));
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
    for (const QVariant& value : valuesOf(entry))
        query.addBindValue(value);
    return execute(query, QStringLiteral("write run %1").arg(entry.id));
}

Status RunDatabase::setTags(const QString& id, const QStringList& tags)
{
    RunEntry changed = find(id).value_or(RunEntry{});
    changed.tags = tags;
    return keep(id, "tags", listToJson(tags), changed);
}

Status RunDatabase::setNotes(const QString& id, const QString& notes)
{
    RunEntry changed = find(id).value_or(RunEntry{});
    changed.notes = notes;
    return keep(id, "notes", text(notes), changed);
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

#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include <QHash>
#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>

#include "app/runs/run_entry.h"
#include "engine/base/result.h"

class QSqlDatabase;
class QSqlQuery;
class QVariant;

namespace trainyard {

/// How long to wait for other writers.
inline constexpr std::chrono::milliseconds kHistoryPatience{5000};

/// The history of all runs on this computer, in one SQLite file with a write-ahead log. Several windows and
/// commands may use the file at once: each writes only its changes and reads those of others with refresh().
/// Rows are also kept in memory, so reading never touches the disk. GUI thread.
class RunDatabase : public QObject {
    Q_OBJECT

public:
    /// Opens or creates the file. BadInput when it is damaged or not a history; Refused when a newer version
    /// wrote it, when it cannot be read, or when another program has it locked for longer than `patience`,
    /// which applies to later operations too. On errors the file is unchanged.
    static Result<std::unique_ptr<RunDatabase>> open(const QString& file,
                                                     std::chrono::milliseconds patience = kHistoryPatience);
    ~RunDatabase() override;

    /// Newest first.
    const QList<RunEntry>& runs() const { return m_runs; }
    std::optional<RunEntry> find(const QString& id) const;
    int rowOf(const QString& id) const; ///< -1 = unknown
    /// Returns all tags in use, sorted.
    QStringList tags() const;

    /// Reads changes by other windows and commands. Costs one query of a counter when there are none.
    Status refresh();

    /// Adds the run, or updates its metrics. Keeps tags, notes and archive state of a known run.
    Status store(const RunEntry& entry);
    /// Adds imported runs with their tags and notes: all of them or, on any error, none. A known run of the
    /// same id is replaced.
    Status storeAll(const QList<RunEntry>& entries);
    Status setTags(const QString& id, const QStringList& tags);
    Status setNotes(const QString& id, const QString& notes);
    Status setArchived(const QString& id, bool archived);
    /// Removes the run from the list. Its folder stays.
    Status remove(const QString& id);

signals:
    void runAdded(int row);
    void runChanged(int row);
    void runRemoved(int row);

private:
    explicit RunDatabase(QString connection);
    Result<QList<RunEntry>> read() const;
    Result<qint64> changeCounter() const;
    /// Writes one column of a run, in the file and in memory.
    Status keep(const QString& id, const char* column, const QVariant& value, const RunEntry& changed);
    Status write(const RunEntry& entry, const QString& statement);
    Status execute(QSqlQuery& query, const QString& doing) const;
    /// Describes the failure of the last statement.
    Error problem(const QString& doing, const QSqlQuery& query) const;
    void put(const RunEntry& entry);
    void drop(int row);
    QSqlDatabase database() const;

    QString m_connection;
    QList<RunEntry> m_runs;
    QHash<QString, qint64> m_createdMs; ///< creation time by id, for finding the row
    qint64 m_counter = 0;               ///< change counter of other writers at the last refresh()
};

} // namespace trainyard

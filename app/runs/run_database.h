#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include <QHash>
#include <QList>
#include <QObject>
#include <QString>

#include "app/runs/run_entry.h"
#include "engine/base/result.h"

class QSqlDatabase;
class QSqlQuery;
class QVariant;

namespace trainyard {

/// For other programs that write.
inline constexpr std::chrono::milliseconds kHistoryPatience{5000};

/// The history: every run that this desk has ever known, in one SQLite file with a write-ahead log. Several
/// windows and commands may use the file at once: each writes only what it changes, and takes over what the
/// others changed with refresh(). Kept in memory as well; reading never touches the disk. GUI thread.
class RunDatabase : public QObject {
    Q_OBJECT

public:
    /// Opens or makes the file. BadInput when it is no history or damaged, Refused when a newer version wrote
    /// it, when it cannot be read, and when another program has it locked for longer than `patience`, which
    /// everything later waits for too; the file is left as it is then.
    static Result<std::unique_ptr<RunDatabase>> open(const QString& file,
                                                     std::chrono::milliseconds patience = kHistoryPatience);
    ~RunDatabase() override;

    /// Newest first.
    const QList<RunEntry>& runs() const { return m_runs; }
    std::optional<RunEntry> find(const QString& id) const;
    int rowOf(const QString& id) const; ///< -1 = unknown
    /// Every tag of any run, sorted.
    QStringList tags() const;

    /// Takes over what other windows and commands have written since. Costs a look at a counter when nothing
    /// was.
    Status refresh();

    /// Adds the run, or brings its figures up to date. What the user keeps with a known run is left as it is.
    Status store(const RunEntry& entry);
    /// Adds runs that nobody else has touched, with what the user keeps with them: all of them or, on any
    /// error, none.
    Status storeAll(const QList<RunEntry>& entries);
    Status setTags(const QString& id, const QStringList& tags);
    Status setNotes(const QString& id, const QString& notes);
    Status setArchived(const QString& id, bool archived);
    /// Takes the run off the list. Its folder stays where it is.
    Status remove(const QString& id);

signals:
    void runAdded(int row);
    void runChanged(int row);
    void runRemoved(int row);

private:
    explicit RunDatabase(QString connection);
    Status prepareSchema(std::chrono::milliseconds patience);
    Result<QList<RunEntry>> read() const;
    Result<qint64> changeCounter() const;
    /// Writes one column of a run, in the file and in memory.
    Status keep(const QString& id, const char* column, const QVariant& value, const RunEntry& changed);
    Status write(const RunEntry& entry, const QString& statement);
    Status execute(QSqlQuery& query, const QString& doing) const;
    /// Of the statement that has just failed.
    Error problem(const QString& doing, const QSqlQuery& query) const;
    void put(const RunEntry& entry);
    void drop(int row);
    QSqlDatabase database() const;

    QString m_connection;
    QList<RunEntry> m_runs;
    QHash<QString, qint64> m_createdMs; ///< by id: leads to the row
    qint64 m_counter = 0;               ///< of changes by others, as refresh() last saw it
};

} // namespace trainyard

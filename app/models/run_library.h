#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <QList>
#include <QObject>
#include <QString>

#include "app/models/run_entry.h"
#include "engine/base/result.h"

class QSqlDatabase;

namespace trainyard {

/// The history: every run that this desk has ever known, in one SQLite file with a write-ahead log, so that a
/// second window may read while this one writes. Kept in memory as well; reading never touches the disk.
/// GUI thread.
class RunLibrary : public QObject {
    Q_OBJECT

public:
    /// Opens or makes the file. BadInput when it is no history, Refused when a newer version wrote it.
    static Result<std::unique_ptr<RunLibrary>> open(const QString& file);
    ~RunLibrary() override;

    /// Newest first.
    const QList<RunEntry>& runs() const { return m_runs; }
    std::optional<RunEntry> find(const QString& id) const;

    /// Adds the run, or brings its figures up to date. Tags and notes of a known run are left as they are.
    Status store(const RunEntry& entry);
    Status setTags(const QString& id, const QStringList& tags);
    Status setNotes(const QString& id, const QString& notes);
    /// Takes the run off the list. Its folder stays where it is.
    Status remove(const QString& id);

signals:
    void runAdded(int row);
    void runChanged(int row);
    void runRemoved(int row);

private:
    explicit RunLibrary(QString connection);
    Status prepareSchema(const QString& file);
    Status load();
    Status write(const RunEntry& entry);
    Status amend(const QString& id, const std::function<void(RunEntry&)>& change);
    int rowOf(const QString& id) const;
    QSqlDatabase database() const;

    QString m_connection;
    QList<RunEntry> m_runs;
};

} // namespace trainyard

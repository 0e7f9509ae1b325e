#pragma once

#include <map>
#include <memory>

#include <QDateTime>
#include <QObject>
#include <QSet>
#include <QTimer>

#include "app/runs/open_run.h"
#include "app/runs/run_database.h"
#include "app/runs/run_edits.h"
#include "app/runs/run_list_model.h"

namespace trainyard {

class RunHosts;

/// All runs known on this computer: the history, their mirrored folders, and open runs. Shared by all pages.
///
/// Runs that are not over are opened and followed within a second of their appearance, whoever started them;
/// others are read on demand. GUI thread.
class RunStore : public QObject {
    Q_OBJECT

public:
    /// `hosts` may be null: then no run is followed and runs are read from files only. History and hosts must
    /// outlive the store.
    RunStore(RunDatabase& history, const QString& runsFolder, RunHosts* hosts, QObject* parent = nullptr);
    ~RunStore() override;

    RunDatabase& history() { return m_history; }
    RunListModel& list() { return m_list; }
    RunEdits& edits() { return m_edits; }
    RunHosts* hosts() { return m_hosts; }
    const QString& runsFolder() const { return m_runsFolder; }
    QString folderOf(const QString& runId) const;

    /// Adds training runs whose folders have appeared, and removes failed launches. Destroys the OpenRun of
    /// those runs.
    void scan();
    /// Returns the run, read from its folder if not yet open; owned by the store. BadInput when the folder is
    /// missing or damaged.
    Result<OpenRun*> open(const QString& runId);
    /// Removes the run's mirror and its entry, nothing on its hosts. Destroys its OpenRun.
    Status removeRun(const QString& runId);
    /// Follows the new attempt of the run.
    void followAgain(const QString& runId);

signals:
    /// State, link or metrics of an open run changed.
    void runChanged(const QString& runId);
    /// The history could not be written.
    void problem(const QString& text);

private:
    void openUnfinished();
    void adopt(const QString& runId);
    void removeFailedLaunches();
    OpenRun* keep(std::unique_ptr<OpenRun> run);
    void record(OpenRun& run);
    void refreshStates();
    void scanWhenChanged();

    RunDatabase& m_history;
    QString m_runsFolder;
    RunHosts* m_hosts;
    RunListModel m_list;
    RunEdits m_edits;
    std::map<QString, std::unique_ptr<OpenRun>> m_open;
    QDateTime m_scanned; ///< last change of the folder of runs that a scan has seen
    QTimer m_clock;
    QTimer m_record; ///< limits how often the history is written
    QSet<QString> m_unrecorded;
};

} // namespace trainyard

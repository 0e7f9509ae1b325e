#pragma once

#include <map>
#include <memory>

#include <QObject>
#include <QSet>
#include <QTimer>

#include "app/runs/open_run.h"
#include "app/runs/run_database.h"
#include "app/runs/run_edits.h"
#include "app/runs/run_list_model.h"

namespace trainyard {

class RunHosts;

/// All runs of this desk: the history, the folders that mirror them, and those that are open. Places share
/// one.
///
/// Runs that are not over are opened at once and followed; the others are read when somebody looks at them.
/// GUI thread.
class RunStore : public QObject {
    Q_OBJECT

public:
    /// `hosts` may be null: then nothing is followed and the runs are what their files say.
    /// Library and hosts must outlive the desk.
    RunStore(RunDatabase& library, const QString& runsFolder, RunHosts* hosts, QObject* parent = nullptr);
    ~RunStore() override;

    RunDatabase& library() { return m_library; }
    RunListModel& list() { return m_list; }
    RunEdits& edits() { return m_edits; }
    RunHosts* hosts() { return m_hosts; }
    const QString& runsFolder() const { return m_runsFolder; }
    QString folderOf(const QString& runId) const;

    /// Takes in training runs whose folders have appeared since, ends imports that were killed, and forgets
    /// launches that came to nothing.
    /// Ends the life of those runs' OpenRun.
    void scan();
    /// The run, read from its folder if it is not open yet; owned by the desk. BadInput when the folder is
    /// gone or damaged.
    Result<OpenRun*> open(const QString& runId);
    /// Removes the run's mirror and its entry; nothing on its hosts. Ends the life of its OpenRun.
    Status removeRun(const QString& runId);
    /// The run goes on with a new attempt.
    void followAgain(const QString& runId);

signals:
    /// State, link or figures of an open run have changed.
    void runChanged(const QString& runId);
    /// The history could not be written.
    void problem(const QString& text);

private:
    void openUnfinished();
    void adopt(const QString& runId);
    void dropTakenBack();
    OpenRun* keep(std::unique_ptr<OpenRun> run);
    void record(OpenRun& run);
    void lookAtClock();

    RunDatabase& m_library;
    QString m_runsFolder;
    RunHosts* m_hosts;
    RunListModel m_list;
    RunEdits m_edits;
    std::map<QString, std::unique_ptr<OpenRun>> m_open;
    QTimer m_clock;
    QTimer m_record; ///< the history is written every so often, not with every record
    QSet<QString> m_unrecorded;
};

} // namespace trainyard

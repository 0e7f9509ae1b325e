#pragma once

#include <QObject>

#include "app/base/latest_job.h"
#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

class QCheckBox;
class QMenu;
class QPoint;
class QWidget;

namespace trainyard {

class MessageStrip;
class RunStore;
struct RunEntry;

/// What can be done with a run of the history besides watching it. Tells in the strip of its place what came
/// of it.
class RunActions : public QObject {
    Q_OBJECT

public:
    /// Desk, strip and window must outlive it.
    RunActions(RunStore& desk, MessageStrip& strip, QWidget& window);

    void showMenu(const QString& runId, const QPoint& place);

signals:
    /// A copy of the run's specification is wanted in Design.
    void copyWanted(const trainyard::RunSpec& spec);
    /// The run is wanted again, as it was.
    void relaunchWanted(const trainyard::RunSpec& spec);
    void comparisonWanted(const QString& runId);
    void reportWanted(const QString& runId);

private:
    void addSpecActions(QMenu& menu, const QString& runId);
    void addExports(QMenu& menu, const QString& runId);
    void archive(const QString& runId, bool archived);
    void confirmDelete(const QString& runId);
    QCheckBox* addHostChoice(const RunEntry& entry);
    void removeFromHosts(const QString& runId);
    void remove(const QString& runId);
    void exportTo(const QString& runId, const QString& format);

    RunStore& m_desk;
    MessageStrip& m_strip;
    QWidget& m_window;
    QString m_exportPath;
    LatestJob<Status> m_export;
};

} // namespace trainyard

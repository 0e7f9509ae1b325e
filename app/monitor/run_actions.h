#pragma once

#include <QObject>

#include "app/base/pool_work.h"
#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

class QCheckBox;
class QMenu;
class QPoint;
class QWidget;

namespace trainyard {

class MessageBar;
class RunStore;
struct RunEntry;

/// The actions on a run of the history. Reports results in the message bar of its page.
class RunActions : public QObject {
    Q_OBJECT

public:
    /// Store, message bar and window must outlive it.
    RunActions(RunStore& store, MessageBar& messages, QWidget& window);

    void showMenu(const QString& runId, const QPoint& place);
    /// Adds what the menu of this run offers.
    void fillMenu(QMenu& menu, const QString& runId);

signals:
    /// Asks to open a copy of the specification in Design.
    void copyWanted(const trainyard::RunSpec& spec);
    /// Asks to launch the run again unchanged.
    void relaunchWanted(const trainyard::RunSpec& spec);
    void comparisonWanted(const QString& runId);
    void reportWanted(const QString& runId);
    void trialWanted(const QString& runId);
    void modelExportWanted(const QString& runId);

private:
    void addSpecActions(QMenu& menu, const QString& runId);
    void addExports(QMenu& menu, const QString& runId);
    void archive(const QString& runId, bool archived);
    void confirmDelete(const QString& runId);
    QCheckBox* addHostChoice(const RunEntry& entry);
    void removeFromHosts(const QString& runId);
    void remove(const QString& runId);
    void exportTo(const QString& runId, const QString& format);

    RunStore& m_store;
    MessageBar& m_messages;
    QWidget& m_window;
    QString m_exportPath;
    LatestJob<Status> m_export;
};

} // namespace trainyard

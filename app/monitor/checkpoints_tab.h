#pragma once

#include <chrono>
#include <optional>

#include <QPointer>
#include <QWidget>

#include "app/monitor/model/checkpoint_list_model.h"
#include "app/runs/open_run.h"

class QLabel;
class QPushButton;
class QStackedWidget;

namespace trainyard {

class ElidedLabel;
class RunHosts;
class TableView;

/// Lists the checkpoints of a run as its head reports them, with state and reason, and resumes from a chosen
/// one.
class CheckpointsTab : public QWidget {
    Q_OBJECT

public:
    /// `hosts` may be null; it must outlive the tab.
    explicit CheckpointsTab(RunHosts* hosts, QWidget* parent = nullptr);

    /// Call it while the tab is visible: it queries the head again when the run reports a checkpoint.
    /// `canAct`: requests to the run are allowed.
    void show(const OpenRun& run, bool canAct);
    /// Queries the head again, at the latest when the tab becomes visible.
    void refresh();
    /// Shows this answer of the head and drops one that is still pending.
    void take(const Result<QList<RunCheckpoint>>& listed);

signals:
    /// `abandoned` names the later checkpoints that become an abandoned branch; empty = none.
    void resumeWanted(qint64 step, const QString& abandoned);
    /// Asks to try this checkpoint on a text.
    void trialWanted(qint64 step);
    /// Asks to export this checkpoint as a model.
    void exportWanted(qint64 step);

protected:
    void hideEvent(QHideEvent* event) override;

private:
    QLayout* buildBar();
    QWidget* buildList();
    void startOver(const OpenRun& run);
    void ask(std::chrono::milliseconds verification);
    QString whyNotAsked() const;
    QString whyNoResume() const;
    const RunCheckpoint* current() const;
    void resume();
    void showPage();
    void showNone(RunState state);
    void showInstead(const QString& heading, const QString& sentence);
    void showState();
    void showChoice();

    RunHosts* m_hosts;
    QPointer<const OpenRun> m_run;
    bool m_canAct = false;
    qsizetype m_checkpointNews = 0;                     ///< checkpoint news of the run at the last query
    bool m_isStale = true;                              ///< query again when the tab becomes visible
    bool m_isAsking = false;                            ///< a query is pending
    bool m_isComparing = false;                         ///< the query verifies hashes, which takes longer
    bool m_isListed = false;                            ///< at least one list has arrived
    std::optional<std::chrono::milliseconds> m_askNext; ///< next query, with this verification time
    quint64 m_generation = 0;                           ///< answers of earlier generations are dropped
    std::optional<Error> m_problem;                     ///< why the last query failed
    CheckpointListModel m_model;
    QPushButton* m_resume;
    QPushButton* m_try;
    QPushButton* m_export;
    QPushButton* m_verify;
    QPushButton* m_refresh;
    ElidedLabel* m_state;
    QStackedWidget* m_pages;
    QWidget* m_instead = nullptr; ///< shown instead of the table while there is no list
    QString m_insteadText;
    TableView* m_table;
    QLabel* m_choice; ///< about the current row
};

} // namespace trainyard

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

/// The checkpoints of a run, asked of its head: how each of them is and why, and the way back to one of them.
class CheckpointsTab : public QWidget {
    Q_OBJECT

public:
    /// `hosts` may be null; it must outlive the tab.
    explicit CheckpointsTab(RunHosts* hosts, QWidget* parent = nullptr);

    /// To be called while the tab is seen: the head is asked again when the run tells of a checkpoint.
    /// `canAct`: the run may be asked for something.
    void show(const OpenRun& run, bool canAct);
    /// Asks the head again, at the latest when the tab is seen.
    void refresh();
    /// Shows what the head has answered; an answer that is still awaited is dropped.
    void take(const Result<QList<RunCheckpoint>>& listed);

signals:
    /// `whatIsLeft` says which later checkpoints become an abandoned branch; empty = none.
    void resumeWanted(qint64 step, const QString& whatIsLeft);

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
    void tellState();
    void tellChoice();

    RunHosts* m_hosts;
    QPointer<const OpenRun> m_run;
    bool m_canAct = false;
    qsizetype m_news = 0;       ///< that the run had told when the head was asked last
    bool m_isStale = true;      ///< the head is to be asked once more when the tab is seen
    bool m_isAsking = false;    ///< an answer is awaited
    bool m_isComparing = false; ///< with the hashes, which takes its time
    bool m_isListed = false;    ///< the head has answered once
    std::optional<std::chrono::milliseconds> m_askNext; ///< when it has answered
    quint64 m_generation = 0;                           ///< answers to earlier questions are dropped
    std::optional<Error> m_problem;                     ///< why it could not be listed just now
    CheckpointListModel m_model;
    QPushButton* m_resume;
    QPushButton* m_verify;
    QPushButton* m_refresh;
    ElidedLabel* m_state;
    QStackedWidget* m_pages;
    QWidget* m_instead = nullptr; ///< what is shown while there is no list
    QString m_insteadText;
    TableView* m_table;
    QLabel* m_choice; ///< about the current row
};

} // namespace trainyard

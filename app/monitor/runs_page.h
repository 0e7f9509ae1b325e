#pragma once

#include <optional>

#include <QTimer>

#include "app/workspace/page.h"
#include "engine/spec/run_spec.h"

class QStackedWidget;

namespace trainyard {

class AlertCenter;
class HardwareLibrary;
class PageFrame;
class RunActions;
class RunImporter;
class RunStore;
class RunListPane;
class RunView;

/// The page "Runs": all runs on the left, the selected one on the right.
class RunsPage : public Page {
    Q_OBJECT

public:
    /// All arguments must outlive the page.
    RunsPage(RunStore& store, AlertCenter& alerts, const HardwareLibrary& hardware,
             QWidget* parent = nullptr);

    PanelArea* panels() const override;
    QList<KeyHint> keyHints() const override;
    void fillMenu(QMenu& menu) override;
    void activate() override;
    void refresh() override;
    /// Shows this run; scans the folders if it is unknown, because it may have just been launched.
    void showRun(const QString& runId);
    /// Shows the alerts of this run.
    void showAlerts(const QString& runId);
    /// Reports the result of the finished demo and offers next steps.
    void offerNextSteps(const QString& runId);

signals:
    /// The button of the empty page was pressed: there is no run yet.
    void designRequested();
    /// Asks to open a copy of this specification in Design.
    void copyRequested(const trainyard::RunSpec& spec);
    /// Asks to launch a run of this specification now.
    void launchRequested(const trainyard::RunSpec& spec);
    void comparisonRequested(const QString& runId);
    void reportRequested(const QString& runId);
    /// Asks to try the run's checkpoint of this step on a text; nullopt = the newest.
    void trialRequested(const QString& runId, std::optional<qint64> step);
    /// The user clicked the notification of this run.
    void alertClicked(const QString& runId);

private:
    QWidget* buildSplit();
    void connectActions();
    void onCurrentRun(const QString& runId);
    void chooseTrace();
    void removeFromList(const QString& runId);
    void onRunChanged(const QString& runId);
    void showPage();
    void updateStatusText();

    RunStore& m_store;
    PageFrame* m_frame;
    QStackedWidget* m_pages;
    QStackedWidget* m_right;
    RunListPane* m_list;
    RunView* m_view;
    RunActions* m_actions;
    RunImporter* m_importer;
    QAction* m_openTrace;
    QTimer m_clock;
};

} // namespace trainyard

#pragma once

#include <QTimer>

#include "app/workspace/page.h"
#include "engine/spec/run_spec.h"

class QStackedWidget;

namespace trainyard {

class AlertCenter;
class HardwareLibrary;
class PageFrame;
class RunStore;
class RunListPane;
class RunView;

/// The place "Runs": all runs at the left, the chosen one at the right.
class RunsPage : public Page {
    Q_OBJECT

public:
    /// Desk, alerts and library must outlive the place.
    RunsPage(RunStore& desk, AlertCenter& alerts, const HardwareLibrary& hardware, QWidget* parent = nullptr);

    PanelArea* panels() const override;
    QList<KeyHint> keyHints() const override;
    void activate() override;
    void refresh() override;
    /// Shows this run; a run that was launched a moment ago is looked for first.
    void showRun(const QString& runId);
    /// Shows what is wrong with this run.
    void showAlerts(const QString& runId);
    /// The demo's training has ended: what came of it, and what can be done with a run.
    void offerWhatFollows(const QString& runId);

signals:
    /// The button of the empty place: there is no run yet.
    void designRequested();
    /// A copy of this specification is wanted in Design.
    void copyRequested(const trainyard::RunSpec& spec);
    /// A run of this specification is wanted at once.
    void launchRequested(const trainyard::RunSpec& spec);
    void comparisonRequested(const QString& runId);
    void reportRequested(const QString& runId);
    /// The user clicked the desktop's message about this run.
    void alertClicked(const QString& runId);

private:
    QWidget* buildSplit();
    void connectActions();
    void onCurrentRun(const QString& runId);
    void chooseTrace();
    void removeFromList(const QString& runId);
    void onRunChanged(const QString& runId);
    void showPage();
    void tellStatus();

    RunStore& m_desk;
    PageFrame* m_frame;
    QStackedWidget* m_pages;
    QStackedWidget* m_right;
    RunListPane* m_list;
    RunView* m_view;
    QAction* m_openTrace;
    QTimer m_clock;
};

} // namespace trainyard

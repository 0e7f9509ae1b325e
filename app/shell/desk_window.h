#pragma once

#include <QSettings>

#include "app/shell/appearance.h"
#include "app/shell/main_window.h"
#include "app/shell/session.h"
#include "app/shell/tour.h"

namespace trainyard {

class DataPage;
class HostsPage;
class RunsPage;
class SystemKeyring;

/// The window with all its pages over one session, and the connections between pages: a data set to the
/// design, a launched run to Runs.
class DeskWindow {
public:
    DeskWindow(QApplication& application, std::filesystem::path dataFolder, TargetOptions options = {});

    MainWindow& window() { return m_window; }
    Session& session() { return m_session; }
    /// Shows this run in Runs.
    void showRun(const QString& runId);
    /// Shows the progress of this preparation in Data.
    void showPreparation(const QString& runId);
    /// Starts the demo with its files in `folder`: progress in the status bar, its data set in Data, its
    /// training in Runs, which offers next steps at the end.
    void startDemo(const std::filesystem::path& folder);
    /// Starts the tour in an empty installation, unless it was skipped before.
    void offerTour();

private:
    void addPages();
    void showStartupProblems();
    void watchSession();
    void watchLogins();
    void relaunch(const RunSpec& spec);
    void addTour();
    void showRunChip();
    QList<Command> items();
    QList<Command> runItems();
    QList<Command> hostItems();
    QList<Command> dataSetItems();

    Session m_session;
    QSettings m_settings;
    Appearance m_appearance;
    MainWindow m_window;
    SystemKeyring* m_keyring = nullptr; ///< owned by the session's logins
    Tour* m_tour = nullptr;             ///< owned by the window, as the pages are
    HostsPage* m_hosts = nullptr;
    DataPage* m_data = nullptr;
    RunsPage* m_runs = nullptr;
};

} // namespace trainyard

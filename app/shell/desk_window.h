#pragma once

#include <QSettings>

#include "app/shell/appearance.h"
#include "app/shell/main_window.h"
#include "app/shell/session.h"
#include "app/shell/tour.h"

namespace trainyard {

class DataPage;
class RunsPage;
class SystemKeyring;

/// The window with all its pages over one session, and what leads from one page to the next: a data set
/// into the design, a launched run to Runs.
class DeskWindow {
public:
    DeskWindow(QApplication& application, std::filesystem::path dataFolder, TargetOptions options = {});

    MainWindow& window() { return m_window; }
    Session& session() { return m_session; }
    /// Goes to the page Runs and shows this run.
    void showRun(const QString& runId);
    /// Goes to the page Data and shows how far this preparation is.
    void showPreparation(const QString& runId);
    /// The demo with its things in `folder`: its steps in the status bar, its data set in the page Data, its
    /// training in Runs, which offers what follows when it has ended.
    void startDemo(const std::filesystem::path& folder);
    /// Begins the tour where nothing has been done yet, unless it was left before.
    void offerTour();

private:
    void addPages();
    void showStartupProblems();
    void watchSession();
    void watchLogins();
    void relaunch(const RunSpec& spec);
    void addTour();
    void showRunChip();

    Session m_session;
    QSettings m_settings;
    Appearance m_appearance;
    MainWindow m_window;
    SystemKeyring* m_keyring = nullptr; ///< owned by the session's logins
    Tour* m_tour = nullptr;             ///< owned by the window, as the pages are
    DataPage* m_data = nullptr;
    RunsPage* m_runs = nullptr;
};

} // namespace trainyard

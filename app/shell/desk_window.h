#pragma once

#include <QSettings>

#include "app/shell/appearance.h"
#include "app/shell/main_window.h"
#include "app/shell/session.h"

namespace trainyard {

class DataPlace;
class RunsPlace;

/// The window with all its places over one session, and what leads from one place to the next: a data set
/// into the design, a launched run to Runs.
class DeskWindow {
public:
    DeskWindow(QApplication& application, std::filesystem::path dataFolder, TargetOptions options = {});

    MainWindow& window() { return m_window; }
    Session& session() { return m_session; }
    /// Goes to the place Runs and shows this run.
    void showRun(const QString& runId);
    /// Goes to the place Data and shows how far this preparation is.
    void showPreparation(const QString& runId);

private:
    void addPlaces();
    void watchSession();
    void watchLogins();
    void relaunch(const RunSpec& spec);
    void showRunChip();

    Session m_session;
    QSettings m_settings;
    Appearance m_appearance;
    MainWindow m_window;
    DataPlace* m_data = nullptr; ///< the places are owned by the window
    RunsPlace* m_runs = nullptr;
};

} // namespace trainyard

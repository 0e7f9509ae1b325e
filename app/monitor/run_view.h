#pragma once

#include <cstdint>
#include <optional>

#include <QPointer>
#include <QWidget>

#include "app/models/open_run.h"

class QTabWidget;

namespace trainyard {

class ChartsTab;
class DevicesTab;
class EventsTab;
class HardwareLibrary;
class LogTab;
class MessageStrip;
class RunHeader;
class NotesTab;
class PlanTab;
class RunDesk;
class RunHosts;
class SpecTab;

/// One run: header, message strip, tabs. Only the tab that is seen is brought up to date.
class RunView : public QWidget {
    Q_OBJECT

public:
    /// Without hosts in the desk nothing can be asked of the run. Desk and library must outlive the view.
    RunView(RunDesk& desk, const HardwareLibrary& hardware, QWidget* parent = nullptr);

    void setRun(OpenRun* run);
    OpenRun* run() const { return m_run; }
    /// Brings header and visible tab up to date.
    void update();

signals:
    /// The run goes on with a new attempt and wants to be followed again.
    void resumed(const QString& runId);

private:
    void buildTabs();
    void updateTab();
    void confirmStop();
    void stop();
    void resume();
    void checkpoint();
    void tellOfCheckpoint();
    struct RunReply reply(const QString& doing, const QString& done);

    RunHosts* m_hosts;
    QPointer<OpenRun> m_run;
    bool m_acting = false;
    std::optional<std::int64_t>
        m_awaitedSince; ///< a checkpoint was asked for when this step's was the newest
    RunHeader* m_header;
    MessageStrip* m_strip;
    QTabWidget* m_tabs;
    ChartsTab* m_charts;
    DevicesTab* m_devices;
    PlanTab* m_plan;
    LogTab* m_log;
    EventsTab* m_events;
    NotesTab* m_notes;
    SpecTab* m_spec;
};

} // namespace trainyard

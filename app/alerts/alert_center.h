#pragma once

#include <filesystem>
#include <map>

#include <QHash>
#include <QObject>
#include <QPointer>
#include <QTimer>

#include "app/alerts/alert.h"
#include "app/alerts/alert_settings.h"

namespace trainyard {

class OpenRun;
class RunStore;

/// An alert and the time when it was raised.
struct RaisedAlert {
    Alert alert;
    qint64 sinceMs = 0; ///< wall clock, ms since 1970-01-01 UTC

    bool operator==(const RaisedAlert&) const = default;
};

/// Evaluates the alert rules for the open runs about once a second; raises each alert once and removes it
/// when it has ended. GUI thread.
class AlertCenter : public QObject {
    Q_OBJECT

public:
    /// The store must outlive the centre. `file` holds the settings, see loadAlertSettings().
    AlertCenter(RunStore& store, std::filesystem::path file, QObject* parent = nullptr);

    /// Returns the active alerts in the order of AlertKind.
    QList<RaisedAlert> alertsOf(const QString& runId) const;
    const AlertSettings& settings() const { return m_settings; }
    /// Saves the settings at once, as desk_file.h describes, and evaluates all runs again.
    void setSettings(const AlertSettings& settings);
    /// Returns why the settings could not be read or written; empty = no problem.
    const QString& problem() const { return m_problem; }
    /// Evaluates this run as well, now and on changes; runs that are not over are always included.
    void watch(const QString& runId);
    /// Evaluates the runs now, as the timer does once a second.
    void look();

signals:
    /// A new alert. Alerts already active when a run is opened are only listed.
    void raised(const QString& runId, const trainyard::Alert& alert);
    /// The run's list of alerts has changed.
    void changed(const QString& runId);

private:
    struct Watched {
        QPointer<OpenRun> run;
        QList<RaisedAlert> alerts;
        bool isDue = true;
        bool isKnown = false; ///< it was judged before
    };

    void onRunChanged(const QString& runId);
    void judge(const QString& runId, Watched& watched, qint64 nowMs);

    RunStore& m_store;
    std::filesystem::path m_file;
    AlertSettings m_settings;
    QString m_problem;
    std::map<QString, Watched> m_watched;
    QTimer m_clock;
};

} // namespace trainyard

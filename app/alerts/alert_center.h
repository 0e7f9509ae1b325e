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

/// An alert, and since when it is there.
struct RaisedAlert {
    Alert alert;
    qint64 sinceMs = 0; ///< wall clock at which this desk saw it first

    bool operator==(const RaisedAlert&) const = default;
};

/// Looks at the desk's open runs about once a second and says what is wrong with them: each trouble once when
/// it begins, and it is gone from the list when it is over. GUI thread.
class AlertCenter : public QObject {
    Q_OBJECT

public:
    /// The desk must outlive the centre. `file`: of the settings, see loadAlertSettings().
    AlertCenter(RunStore& desk, std::filesystem::path file, QObject* parent = nullptr);

    /// In the order of AlertKind.
    QList<RaisedAlert> alertsOf(const QString& runId) const;
    const AlertSettings& settings() const { return m_settings; }
    /// Written at once, as desk_file.h says; the runs are judged anew.
    void setSettings(const AlertSettings& settings);
    /// Why the settings could not be read or written; empty = they could.
    const QString& problem() const { return m_problem; }
    /// This run is judged too, now and when it changes; runs that are not over are anyway.
    void watch(const QString& runId);
    /// Judges the runs now: what the clock does once a second.
    void look();

signals:
    /// A trouble began. What is there already when a run is opened is only listed.
    void raised(const QString& runId, const trainyard::Alert& alert);
    /// The run's list is another one.
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

    RunStore& m_desk;
    std::filesystem::path m_file;
    AlertSettings m_settings;
    QString m_problem;
    std::map<QString, Watched> m_watched;
    QTimer m_clock;
};

} // namespace trainyard

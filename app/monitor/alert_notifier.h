#pragma once

#include <QObject>

#include "app/alerts/alert.h"

class QSystemTrayIcon;
class QWidget;

namespace trainyard {

class AlertCenter;

/// Notifies the user of new alerts while the window is not in front: the window asks for attention and, where
/// the desktop has a tray, a message appears. Does nothing when the user has switched notifications off.
class AlertNotifier : public QObject {
    Q_OBJECT

public:
    /// `place`: any widget of the window. Both must outlive this object.
    AlertNotifier(AlertCenter& alerts, QWidget& place, QObject* parent = nullptr);

signals:
    /// The user clicked the notification of this run.
    void clicked(const QString& runId);

private:
    void notify(const QString& runId, const Alert& alert);
    QSystemTrayIcon& tray();

    AlertCenter& m_alerts;
    QWidget& m_place;
    QSystemTrayIcon* m_tray = nullptr; ///< created with the first message
    QString m_notifiedRun;             ///< run of the last message
};

} // namespace trainyard

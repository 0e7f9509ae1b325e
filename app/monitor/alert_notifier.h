#pragma once

#include <QObject>

#include "app/alerts/alert.h"

class QSystemTrayIcon;
class QWidget;

namespace trainyard {

class AlertCenter;

/// Tells of an alert through the desktop while the window is not in front: it asks for attention, and where
/// the desktop has a tray, a message says what is wrong. Nothing when the user has switched it off.
class AlertNotifier : public QObject {
    Q_OBJECT

public:
    /// `place`: a widget of the window. Both must outlive this object.
    AlertNotifier(AlertCenter& alerts, QWidget& place, QObject* parent = nullptr);

signals:
    /// The user clicked the message.
    void clicked(const QString& runId);

private:
    void tell(const QString& runId, const Alert& alert);
    QSystemTrayIcon& tray();

    AlertCenter& m_alerts;
    QWidget& m_place;
    QSystemTrayIcon* m_tray = nullptr; ///< made with the first message
    QString m_told;                    ///< run of the last message
};

} // namespace trainyard

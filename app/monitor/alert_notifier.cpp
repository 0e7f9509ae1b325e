#include "app/monitor/alert_notifier.h"

#include <QApplication>
#include <QSystemTrayIcon>
#include <QWidget>

#include "app/alerts/alert_center.h"
#include "app/base/display_text.h"
#include "app/runs/recorded_run.h"

namespace trainyard {

AlertNotifier::AlertNotifier(AlertCenter& alerts, QWidget& place, QObject* parent)
    : QObject(parent), m_alerts(alerts), m_place(place)
{
    connect(&alerts, &AlertCenter::raised, this, &AlertNotifier::notify);
}

void AlertNotifier::notify(const QString& runId, const Alert& alert)
{
    QWidget* window = m_place.window();
    if (!m_alerts.settings().notifies || window->isActiveWindow())
        return;
    QApplication::alert(window);
    if (!QSystemTrayIcon::isSystemTrayAvailable() || !QSystemTrayIcon::supportsMessages())
        return;
    m_notifiedRun = runId;
    tray().showMessage(tr("%1: %2").arg(oneLine(nameFromRunId(runId)), titleOf(alert.kind)), alert.text,
                       alert.severity == Severity::Error ? QSystemTrayIcon::Critical
                                                         : QSystemTrayIcon::Warning);
}

QSystemTrayIcon& AlertNotifier::tray()
{
    if (!m_tray) {
        m_tray = new QSystemTrayIcon(QApplication::windowIcon(), this);
        m_tray->setToolTip(tr("Trainyard"));
        connect(m_tray, &QSystemTrayIcon::messageClicked, this, [this] { emit clicked(m_notifiedRun); });
        m_tray->show();
    }
    return *m_tray;
}

} // namespace trainyard

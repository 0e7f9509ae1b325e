#pragma once

#include <QFrame>

#include "app/alerts/alert_actions.h"
#include "app/alerts/alert_center.h"

class QHBoxLayout;
class QLabel;

namespace trainyard {

/// One alert: what is wrong, since when, and what can be done about it. Brought up to date in place, so that
/// its buttons keep the focus.
class AlertCard : public QFrame {
    Q_OBJECT

public:
    explicit AlertCard(QWidget* parent = nullptr);

    /// Without `canAct` what would change the run is not offered.
    void show(const RaisedAlert& raised, RunState state, bool canAct, qint64 nowMs);
    const Alert& alert() const { return m_raised.alert; }

signals:
    void wanted(trainyard::AlertAction action, const trainyard::Alert& alert);

private:
    void offer(const QList<AlertAction>& actions);

    RaisedAlert m_raised;
    QList<AlertAction> m_offered;
    QLabel* m_shape;
    QLabel* m_text;
    QLabel* m_since;
    QHBoxLayout* m_buttons;
};

} // namespace trainyard

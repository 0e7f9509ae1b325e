#pragma once

#include <QFrame>
#include <QWidget>

#include "app/alerts/alert_actions.h"
#include "app/alerts/alert_center.h"

class QVBoxLayout;
class QHBoxLayout;
class QLabel;

namespace trainyard {

/// Shows one alert, its age and the actions offered for it. Updated in place, so that its buttons keep the
/// focus.
class AlertCard : public QFrame {
    Q_OBJECT

public:
    explicit AlertCard(QWidget* parent = nullptr);

    /// Hides the actions that change the run unless `canAct`.
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

/// The current alerts of a run, one card each.
class AlertList : public QWidget {
    Q_OBJECT

public:
    explicit AlertList(QWidget* parent = nullptr);

    void show(const QList<RaisedAlert>& alerts, RunState state, bool canAct, qint64 nowMs);

signals:
    void wanted(trainyard::AlertAction action, const trainyard::Alert& alert);

private:
    QVBoxLayout* m_column;
    QList<AlertCard*> m_cards;
};

} // namespace trainyard

#pragma once

#include <QWidget>

#include "app/monitor/alert_card.h"

class QVBoxLayout;

namespace trainyard {

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

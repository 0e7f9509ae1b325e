#pragma once

#include <QList>
#include <QString>

#include "app/alerts/alert.h"

namespace trainyard {

/// Actions offered next to an alert.
enum class AlertAction { Checkpoint, Stop, LowerRate, ShowLog, ShowDevices };

QString labelOf(AlertAction action);
/// Returns the tool tip of the action.
QString helpOf(AlertAction action);
/// True when the action changes the run, which a read-only attachment may not.
bool changesRun(AlertAction action);

/// Returns the useful actions for this alert in that run state, the most likely first.
QList<AlertAction> actionsFor(const Alert& alert, RunState state);

} // namespace trainyard

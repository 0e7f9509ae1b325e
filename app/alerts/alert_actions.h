#pragma once

#include <QList>
#include <QString>

#include "app/alerts/alert.h"

namespace trainyard {

/// What can be done about an alert, beside it.
enum class AlertAction { Checkpoint, Stop, LowerRate, ShowLog, ShowDevices };

QString labelOf(AlertAction action);
/// What a click does, for a tool tip.
QString helpOf(AlertAction action);
/// Whether the action changes the run, which a desk that only looks may not.
bool changesRun(AlertAction action);

/// What is worth offering for this alert of a run in that state, the most likely first.
QList<AlertAction> actionsFor(const Alert& alert, RunState state);

} // namespace trainyard

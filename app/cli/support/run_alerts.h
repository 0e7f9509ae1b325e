#pragma once

#include <QJsonArray>
#include <QList>
#include <QString>

#include "app/alerts/alert.h"

namespace trainyard {

class OpenRun;

/// The alert thresholds of this computer. Warns about unreadable settings and returns the defaults.
AlertThresholds deskThresholds();

/// The alerts of a run by its records on this computer; empty once it has ended.
QList<Alert> openAlerts(const OpenRun& run, const AlertThresholds& thresholds);

/// "✕ divergence, ▲ low disk of gpu-03"
QString alertWords(const QList<Alert>& alerts);
/// [{"kind": "low-disk", "severity": "warning", "subject": "gpu-03", "rank": null, "step": 0, "text": "..."}]
QJsonArray alertsJson(const QList<Alert>& alerts);

} // namespace trainyard

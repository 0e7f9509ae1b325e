#pragma once

#include <QJsonArray>
#include <QList>
#include <QString>

#include "app/alerts/alert.h"

namespace trainyard {

class OpenRun;

/// When a figure counts as trouble on this desk. Without settings that can be read a warning, and what is
/// made.
AlertThresholds deskThresholds();

/// What is wrong with a run by the records that this desk has of it; nothing once it is over.
QList<Alert> openAlerts(const OpenRun& run, const AlertThresholds& thresholds);

/// "✕ divergence, ▲ low disk of gpu-03"
QString alertWords(const QList<Alert>& alerts);
/// [{"kind": "low-disk", "severity": "warning", "subject": "gpu-03", "rank": null, "step": 0, "text": "..."}]
QJsonArray alertsJson(const QList<Alert>& alerts);

} // namespace trainyard

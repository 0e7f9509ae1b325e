#pragma once

#include <QJsonObject>
#include <QList>
#include <QStringList>

#include "app/models/planned_run.h"

namespace trainyard {

QJsonObject toJson(const PlannedTime& time);
/// Name and value of what a person wants to know, causes that take less than 0.5 % left out.
QList<QStringList> rowsOf(const PlannedTime& time);

/// "error_band" of calibrated hardware: a step takes up to 1 + this times as long as predicted, or as much
/// shorter.
void addErrorBand(QJsonObject& json, const NodeModel& node);
/// The same as a sentence; nothing of hardware that was not calibrated.
void printErrorBand(const NodeModel& node);

} // namespace trainyard

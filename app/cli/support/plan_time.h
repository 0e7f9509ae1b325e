#pragma once

#include <QJsonObject>
#include <QList>
#include <QStringList>

#include "app/plan/planned_run.h"

namespace trainyard {

QJsonObject toJson(const PlannedTime& time);
/// Name and value of what a person wants to know; skips causes below 0.5 %.
QList<QStringList> rowsOf(const PlannedTime& time);

/// Adds "hardware", its name, and for calibrated hardware "error_band": a step takes up to 1 + this times as
/// long as predicted, or as much shorter.
void addHardware(QJsonObject& json, const NodeModel& node);
/// Prints the same as sentences.
void printHardware(const NodeModel& node);

} // namespace trainyard

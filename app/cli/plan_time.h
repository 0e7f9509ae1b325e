#pragma once

#include <QJsonObject>
#include <QList>
#include <QStringList>

#include "app/models/planned_run.h"

namespace trainyard {

QJsonObject toJson(const PlannedTime& time);
/// Name and value of what a person wants to know, causes that take less than 0.5 % left out.
QList<QStringList> rowsOf(const PlannedTime& time);

} // namespace trainyard

#pragma once

#include <QJsonObject>
#include <QList>
#include <QStringList>

#include "engine/base/result.h"
#include "engine/planner/hardware/hardware.h"
#include "engine/planner/time/step_figures.h"
#include "engine/planner/time/step_model.h"

namespace trainyard {

/// How long a run's steps take on nodes of one kind, and all of them together.
struct PlannedTime {
    StepTime step;
    StepFigures figures;
    TrainingEffort training; ///< of launch.steps steps
    Price price;             ///< of one node
};

/// `node`: its devices are the specification's slots, however many it has.
Result<PlannedTime> planTime(const RunSpec& spec, const SequenceShape& shape, NodeModel node);

QJsonObject toJson(const PlannedTime& time);
/// Name and value of what a person wants to know, causes that take less than 0.5 % left out.
QList<QStringList> rowsOf(const PlannedTime& time);

} // namespace trainyard

#pragma once

#include <QJsonObject>
#include <QString>

#include "engine/planner/layout/shape.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What the first rank hands to collectives for gradients and weights in a step, as a sentence: "Each
/// step, 1.2 GiB of gradients among 8 ranks, 150 MiB of them among 4 copies, 2.4 GiB of weights among 8
/// ranks." Empty where no other rank holds the same.
QString stateTrafficText(const RunSpec& spec, const SequenceShape& shape);
/// The same, in bytes; experts that ranks share apart.
QJsonObject stateTrafficJson(const RunSpec& spec, const SequenceShape& shape);

} // namespace trainyard

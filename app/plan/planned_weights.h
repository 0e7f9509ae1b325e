#pragma once

#include <optional>

#include <QJsonObject>
#include <QStringList>

#include "engine/checkpoint/weights/weight_comparison.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Compares the weights that section init names with the specification, if this computer has a folder of that
/// name or the run in its agent's folder; nullopt otherwise, and without section init. BadInput or Refused
/// when that holds no weights.
Result<std::optional<WeightComparison>> compareWeightsHere(const RunSpec& spec);

/// Rows of a table: label and text. Also for weights that cannot be read from here; empty without section
/// init.
QList<QStringList> weightRows(const InitSpec& init, const std::optional<WeightComparison>& weights);
QJsonObject toJson(const WeightComparison& weights);

} // namespace trainyard

#pragma once

#include <map>

#include <QList>

#include "app/base/text_table_model.h"
#include "app/plan/scaling_table.h"

namespace trainyard {

class OpenRun;

/// Returns a unique label per run: its name, with the end of its id where names are equal.
QStringList labelsOf(const QList<const OpenRun*>& runs);

/// Fields of a specification by path: "optimizer.kind" -> "lamb", "cluster.nodes[0].host" -> "gpu-01".
using SpecFields = std::map<QString, QString>;
/// Returns the fields of a run's specification, without its name; empty for a run without a specification.
SpecFields specFieldsOf(const OpenRun& run);

/// Returns a row per field of the specification in which the runs differ, a column per run. "–" = absent.
TextTable specificationDifferences(const QList<const OpenRun*>& runs);

/// Returns throughput by world size; empty with fewer than two sizes.
QList<ScalingRow> scalingOf(const QList<const OpenRun*>& runs);
TextTable scalingText(const QList<ScalingRow>& rows);

} // namespace trainyard

#pragma once

#include <QList>
#include <QString>

#include "app/runs/run_database.h"

namespace trainyard {

/// The latest values of each run as a table, quoted as in RFC 4180: run, name, state, reason, step, steps,
/// loss, sequences_per_second, ranks, attempt, began and updated (UTC, ISO 8601), hosts, tags (both separated
/// by spaces), notes. Empty = unknown.
QString runListCsv(const QList<RunEntry>& runs);

} // namespace trainyard

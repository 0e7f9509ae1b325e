#pragma once

#include <QString>
#include <QStringList>
#include <QVariant>

#include "app/runs/run_entry.h"

class QSqlQuery;

namespace trainyard {

/// Statements and values of the table of runs. The columns are in the same order everywhere.

/// Selects every run.
QString selectRunsStatement();
/// Inserts a run, or updates the metrics of a known one: id, creation time, tags, notes and archive state
/// stay.
const QString& storeRunStatement();
/// Inserts a run in place of a known one.
QString replaceRunStatement();

/// The values to bind to storeRunStatement() and replaceRunStatement().
QVariantList runValues(const RunEntry& entry);
/// The run in the present row of selectRunsStatement().
RunEntry runFromRow(const QSqlQuery& row);

/// Single values, as the columns store them.
QString listColumn(const QStringList& list);
QString textColumn(const QString& text);

} // namespace trainyard

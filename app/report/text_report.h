#pragma once

#include <QByteArray>
#include <QString>

#include "app/report/report_document.h"

namespace trainyard {

/// The whole document as one tidy table of comma-separated values: a row for each cell of a table, point of a
/// curve, value of a bar and paragraph, under the columns
///     section, caption, row, column, x_name, x, value, unit, text
/// `value` is the number of a cell, point or bar, plain, in `unit`; `text` is what the report shows (of a
/// bar: its name). A text that a spreadsheet would take for a formula is prefixed with an apostrophe.
QString toCsv(const ReportDocument& document);

/// The whole document as JSON; numbers of figures and cells that are nothing but a number are numbers, NaN is
/// null.
QByteArray toJson(const ReportDocument& document);

} // namespace trainyard

#pragma once

#include <QFontMetricsF>
#include <QList>

#include "app/report/report_document.h"

namespace trainyard {

/// Returns the width of each column of a table on a page of `width`, filling it and breaking as few cells as
/// possible: natural widths if they fit; else no word is broken, and wide columns share the rest in
/// proportion to what they lack; if even the words do not fit, only the columns with the longest words are
/// broken, to equal widths. `padding`: left and right of every cell.
QList<double> columnWidths(const ReportTable& table, const QFontMetricsF& metrics, double padding,
                           double width);

} // namespace trainyard

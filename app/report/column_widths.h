#pragma once

#include <QFontMetricsF>
#include <QList>

#include "app/report/report_document.h"

namespace trainyard {

/// How wide each column of a table on a page of `width` is, so that all of it is used and as few cells as
/// possible are broken: what is needed where it fits; else no word is broken, and wide columns share what is
/// left in proportion to what they lack; where even the words do not fit, only the columns with the longest
/// ones are broken, and they become equally wide. `padding`: left and right of every cell.
QList<double> columnWidths(const ReportTable& table, const QFontMetricsF& metrics, double padding,
                           double width);

} // namespace trainyard

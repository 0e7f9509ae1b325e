#pragma once

#include <QByteArray>
#include <QString>

#include "app/report/report_document.h"

namespace trainyard {

/// All tables and the points of all figures as comma-separated values, one block after the other, each under
/// a line
/// `# section: caption`. A cell that a spreadsheet would take for a formula is prefixed with an apostrophe.
QString toCsv(const ReportDocument& document);

/// Returns the whole document as JSON; numbers of figures are numbers, NaN is null.
QByteArray toJson(const ReportDocument& document);

} // namespace trainyard

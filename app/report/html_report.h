#pragma once

#include <QString>

#include "app/report/report_document.h"

namespace trainyard {

/// One self-contained page: figures as inline SVG, no script, no link to anywhere; follows the reader's light
/// or dark scheme and prints on A4. All text is escaped. Needs a QApplication.
QString toHtml(const ReportDocument& document);

} // namespace trainyard

#pragma once

#include <QString>

#include "app/report/report_document.h"

namespace trainyard {

/// Returns one self-contained page: figures as inline SVG, no scripts, no links; follows the reader's light
/// or dark scheme and prints on A4. All text is escaped. Needs a QApplication.
QString toHtml(const ReportDocument& document);

} // namespace trainyard

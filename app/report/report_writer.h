#pragma once

#include <QString>
#include <QStringList>

#include "app/report/report_document.h"
#include "engine/base/result.h"

namespace trainyard {

/// Endings that writeReport() knows: "html", "pdf", "csv", "json".
QStringList reportFormats();

/// Writes the report in the format of the file's ending; the file appears whole or not at all. BadInput for
/// another ending, and where it would replace a run specification. HTML and PDF need a QApplication (the
/// offscreen platform will do).
Status writeReport(const ReportDocument& document, const QString& file);

/// Writes it in every format, as `base` with each of the endings, and returns the files.
Result<QStringList> writeReportInAllFormats(const ReportDocument& document, const QString& base);

} // namespace trainyard

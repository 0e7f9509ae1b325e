#pragma once

#include <QString>
#include <QStringList>

#include "app/report/report_document.h"
#include "engine/base/result.h"

namespace trainyard {

/// Returns the file endings of writeReport(): "html", "pdf", "csv", "json".
QStringList reportFormats();

/// Writes the report atomically in the format of the file's ending. BadInput for another ending, or when it
/// would replace a run specification. HTML and PDF need a QApplication (the offscreen platform suffices).
Status writeReport(const ReportDocument& document, const QString& file);

/// Writes the report in every format, as `base` plus ending, and returns the files.
Result<QStringList> writeReportInAllFormats(const ReportDocument& document, const QString& base);

} // namespace trainyard

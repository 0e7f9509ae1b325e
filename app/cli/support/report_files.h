#pragma once

#include <filesystem>
#include <vector>

#include <QStringList>

#include "app/report/report_builder.h"

namespace trainyard {

/// The report of runs that this desk knows.
Result<ReportDocument> reportOfRuns(const QStringList& runIds, const ReportOptions& options = {});

/// Writes it to each of the files, in the format of its ending. Needs a QApplication; the offscreen platform
/// will do.
Status writeReportFiles(const ReportDocument& document, const std::vector<std::filesystem::path>& files);

} // namespace trainyard

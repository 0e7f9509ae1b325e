#pragma once

#include <filesystem>
#include <vector>

#include <QStringList>

#include "app/report/report_builder.h"

namespace trainyard {

/// The report of runs on this computer.
Result<ReportDocument> reportOfRuns(const QStringList& runIds, const ReportOptions& options = {});

/// Writes it to each file, in the format of its extension. Needs a QApplication, which may be offscreen.
Status writeReportFiles(const ReportDocument& document, const std::vector<std::filesystem::path>& files);

} // namespace trainyard

#pragma once

#include <QStringList>

#include "app/models/run_folder.h"
#include "app/report/report_document.h"
#include "engine/base/result.h"

namespace trainyard {

/// The report of one or several runs: summary, specification, hosts, data set, curves, memory per device,
/// step time, scaling (when they have different world sizes) and events.
ReportDocument buildReport(const std::vector<RecordedRun>& runs);

/// Reads the folders first. BadInput names the folder that is no run.
Result<ReportDocument> buildReport(const QStringList& runFolders);

} // namespace trainyard

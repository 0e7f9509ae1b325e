#pragma once

#include <optional>
#include <string>
#include <vector>

#include <QStringList>

#include "app/report/report_document.h"
#include "app/report/report_template.h"
#include "app/runs/recorded_run.h"
#include "engine/base/result.h"

namespace trainyard {

class HardwareLibrary;

/// Options of a report of runs.
struct ReportOptions {
    std::optional<ReportTemplate> pattern{}; ///< nullopt: usualTemplate()
    /// Hardware of nodes that the specification does not name; empty = unknown.
    std::string hardware{};
};

/// Builds the report of one or several runs. BadInput, with the reason, when the template does not fit them
/// or there are none.
Result<ReportDocument> buildReport(const std::vector<RecordedRun>& runs, const HardwareLibrary& library,
                                   const ReportOptions& options = {});

/// Reads the folders first. BadInput names the folder that is not a run.
Result<ReportDocument> buildReport(const QStringList& runFolders, const HardwareLibrary& library,
                                   const ReportOptions& options = {});

} // namespace trainyard

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

/// What a report of runs is made with.
struct ReportOptions {
    std::optional<ReportTemplate> pattern{}; ///< nothing: usualTemplate()
    /// What nodes are of which a run's specification does not say it; empty = that stays unknown.
    std::string hardware{};
};

/// The report of one or several runs. BadInput when the template does not go with them, with the reason, or
/// when there are none.
Result<ReportDocument> buildReport(const std::vector<RecordedRun>& runs, const HardwareLibrary& library,
                                   const ReportOptions& options = {});

/// Reads the folders first. BadInput names the folder that is no run.
Result<ReportDocument> buildReport(const QStringList& runFolders, const HardwareLibrary& library,
                                   const ReportOptions& options = {});

} // namespace trainyard

#pragma once

#include <string>

#include <QStringList>

#include "app/models/run_folder.h"
#include "app/report/report_document.h"
#include "engine/base/result.h"

namespace trainyard {

class HardwareLibrary;

/// The report of one or several runs: summary, specification, hosts, data set, curves, memory per device and
/// step time beside what was planned, scaling (when they have different world sizes) and events.
/// `nodes` names what nodes are of which a run's specification does not say it; empty = that stays unknown.
ReportDocument buildReport(const std::vector<RecordedRun>& runs, const HardwareLibrary& hardware,
                           const std::string& nodes = {});

/// Reads the folders first. BadInput names the folder that is no run.
Result<ReportDocument> buildReport(const QStringList& runFolders, const HardwareLibrary& hardware,
                                   const std::string& nodes = {});

} // namespace trainyard

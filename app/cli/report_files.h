#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <QStringList>

#include "engine/base/result.h"

namespace trainyard {

/// Writes the report of runs that this desk knows to each of the files, in the format of its ending. Needs a
/// QApplication; the offscreen platform will do. `hardware` names what nodes are of which a run's
/// specification does not say it; empty = that stays unknown.
Status writeReportFiles(const QStringList& runIds, const std::vector<std::filesystem::path>& files,
                        const std::string& hardware = {});

} // namespace trainyard

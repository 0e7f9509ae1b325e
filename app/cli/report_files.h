#pragma once

#include <filesystem>
#include <vector>

#include <QStringList>

#include "engine/base/result.h"

namespace trainyard {

/// Writes the report of runs that this desk knows to each of the files, in the format of its ending. Needs a
/// QApplication; the offscreen platform will do.
Status writeReportFiles(const QStringList& runIds, const std::vector<std::filesystem::path>& files);

} // namespace trainyard

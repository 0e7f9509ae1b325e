#pragma once

#include <QStringList>

#include "app/report/report_document.h"

namespace trainyard {

/// Abbreviates runs of numbered names: "gpu-01 to gpu-08, login".
QString shortList(const QStringList& names);

/// Merges rows that differ only in the host, the first column: "8 x gpu-01 to gpu-08", in place of the first
/// of them.
ReportTable withEqualHostsFolded(const ReportTable& table);

} // namespace trainyard

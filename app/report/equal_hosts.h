#pragma once

#include <QStringList>

#include "app/report/report_document.h"

namespace trainyard {

/// The names with each row of numbers as its ends: "gpu-01 to gpu-08, login".
QString shortList(const QStringList& names);

/// Rows that say the same of several hosts, whose names are the first column, become one: "8 x gpu-01 to
/// gpu-08". It stands where the first of them stood.
ReportTable withEqualHostsFolded(const ReportTable& table);

} // namespace trainyard

#pragma once

#include "app/data/model/data_set_inspector.h"
#include "app/report/report_document.h"

namespace trainyard {

/// The report of a data set: whether it is sound, how much of what is in it, the lengths of its rows, some
/// rows as words, what was left out, from what and how it was made, and its shards with their hashes.
ReportDocument buildDataSetReport(const DataSetFindings& findings);

} // namespace trainyard

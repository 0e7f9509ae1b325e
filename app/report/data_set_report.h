#pragma once

#include "app/data/model/data_set_inspector.h"
#include "app/report/report_document.h"

namespace trainyard {

/// Builds the report of a data set: validity, contents, row lengths, sample rows as words, filtered articles,
/// source and settings, and shards with checksums.
ReportDocument buildDataSetReport(const DataSetFindings& findings);

} // namespace trainyard

#pragma once

#include "datasets/tables/table_reader.h"

namespace trainyard {

/// Reads the row groups one after the other, page by page.
Result<std::unique_ptr<TableReader>> openParquet(const TableRequest& request);

} // namespace trainyard

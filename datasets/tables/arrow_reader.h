#pragma once

#include "datasets/tables/table_reader.h"

namespace trainyard {

/// Reads the record batches of a file or stream of Arrow's IPC format. Their bytes are used where they are,
/// but for those of compressed columns.
Result<std::unique_ptr<TableReader>> openArrow(const TableRequest& request);

} // namespace trainyard

#pragma once

#include "datasets/tables/table_reader.h"

namespace trainyard {

/// The stream of record batches in the bytes of a file: all of a stream, of a file what is between its magic
/// and its footer. BadInput if there is none.
Result<std::string_view> arrowStreamOf(TableKind kind, std::string_view bytes);

/// Reads the record batches of a file or stream of Arrow's IPC format. Their bytes are used where they are,
/// but for those of compressed columns.
Result<std::unique_ptr<TableReader>> openArrow(const TableRequest& request);

} // namespace trainyard

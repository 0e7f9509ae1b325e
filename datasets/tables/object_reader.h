#pragma once

#include "datasets/tables/table_reader.h"

namespace trainyard {

/// See TableModule::openObjects.
Result<std::unique_ptr<TableObjects>> openTableObjects(TableKind kind, std::string_view bytes);

} // namespace trainyard

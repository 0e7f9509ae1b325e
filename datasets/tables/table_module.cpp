#include "datasets/tables/arrow_reader.h"
#include "datasets/tables/object_reader.h"
#include "datasets/tables/parquet_reader.h"

namespace trainyard {

namespace {

Result<std::unique_ptr<TableReader>> openTable(const TableRequest& request)
{
    return request.kind == TableKind::Parquet ? openParquet(request) : openArrow(request);
}

} // namespace

extern "C" __attribute__((visibility("default"))) const TableModule* trainyardTableModule()
{
    static constexpr TableModule kModule{kTableModuleVersion, openTable, openTableObjects};
    return &kModule;
}

} // namespace trainyard

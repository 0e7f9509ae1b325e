#include "engine/spec/partition_json.h"

#include <algorithm>
#include <limits>

namespace trainyard {

namespace {

bool isCount(const nlohmann::json& value)
{
    return value.is_number_unsigned() && value <= std::numeric_limits<int>::max();
}

bool isListOfCounts(const nlohmann::json& value)
{
    return value.is_array() && std::all_of(value.begin(), value.end(), isCount);
}

} // namespace

void readPartition(FieldReader& reader, const char* key, StagePartition& partition)
{
    const auto* value = reader.take(key);
    if (!value)
        return;
    if (isListOfCounts(*value)) {
        partition = {PartitionKind::ByHand, value->get<std::vector<int>>()};
        return;
    }
    const auto kind =
        value->is_string() ? enumFromName<PartitionKind>(value->get<std::string>()) : std::nullopt;
    if (kind)
        partition = {*kind, {}};
    else
        reader.complain(key, "unknown value " + value->dump(),
                        "use one of: " + std::string(acceptedNames<PartitionKind>()) +
                            ", or the layers of each stage, e.g. [3, 4, 4, 3]");
}

nlohmann::ordered_json partitionJson(const StagePartition& partition)
{
    if (partition.kind == PartitionKind::ByHand)
        return partition.layerCounts;
    return nameOf(partition.kind);
}

} // namespace trainyard

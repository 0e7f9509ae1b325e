#include "engine/spec/field_json.h"

#include <utility>

#include <fmt/format.h>

namespace trainyard {

std::string sizeText(Bytes bytes)
{
    for (const auto& [size, name] : {std::pair{kGiB, "GiB"}, {kMiB, "MiB"}, {kKiB, "KiB"}}) {
        if (bytes >= size && bytes % size == 0)
            return fmt::format("{} {}", bytes / size, name);
    }
    return fmt::format("{} B", bytes);
}

std::string durationText(std::chrono::milliseconds duration)
{
    const auto ms = duration.count();
    return ms % 1000 == 0 ? fmt::format("{} s", ms / 1000) : fmt::format("{} ms", ms);
}

OrderedJson objectJson(const PhaseSpec& phase)
{
    OrderedJson all = objectJson<PhaseSpec>(phase);
    OrderedJson json = OrderedJson::object();
    for (const auto& [key, value] : all.items()) {
        if (!value.is_object()) {
            json[key] = value;
            continue;
        }
        for (const auto& [field, inner] : value.items()) {
            if (phase.named.contains(key + "." + field))
                json[key][field] = inner;
        }
    }
    return json;
}

OrderedJson partitionJson(const StagePartition& partition)
{
    if (partition.kind == PartitionKind::ByHand)
        return partition.layerCounts;
    return nameOf(partition.kind);
}

} // namespace trainyard

#include "engine/spec/field_json.h"

#include <utility>

#include <fmt/format.h>

#include "engine/spec/presets.h"

namespace trainyard {

namespace {

/// An override may be one that has its default.
struct PhaseWriter {
    const PhaseSpec& phase;
    OrderedJson json = OrderedJson::object();

    template <typename Access>
    void operator()(const char* key, const Access& access, const FieldInfo& info)
    {
        using Member = Accessed<PhaseSpec, Access>;
        const Member& value = std::invoke(access, phase);
        if constexpr (Described<Member>)
            writeOverrides(key, value);
        else
            json[key] = valueJson(value, info);
    }

    template <typename Section>
    void writeOverrides(const std::string& key, const Section& section)
    {
        ObjectWriter writer(section, WrittenFields::All);
        describe(writer, Of<Section>());
        const OrderedJson all = writer.take();
        for (const auto& [field, value] : all.items()) {
            if (phase.named.contains(key + "." + field))
                json[key][field] = value;
        }
    }
};

} // namespace

ModelSpec readersDefault(const ModelSpec& model)
{
    const std::optional<ModelSpec> preset = model.preset.empty() ? std::nullopt : modelPreset(model.preset);
    ModelSpec before = preset.value_or(ModelSpec());
    if (before.family != model.family)
        before.setFamily(model.family);
    return before;
}

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
    PhaseWriter writer{phase};
    describe(writer, Of<PhaseSpec>());
    return writer.json;
}

OrderedJson objectJson(const DatasetSpec& dataset)
{
    OrderedJson json = objectJson<DatasetSpec>(dataset);
    if (dataset.isMix() && dataset.path.empty())
        json.erase("path");
    return json;
}

OrderedJson partitionJson(const StagePartition& partition)
{
    if (partition.kind == PartitionKind::ByHand)
        return partition.layerCounts;
    return nameOf(partition.kind);
}

} // namespace trainyard

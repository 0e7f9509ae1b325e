#include "engine/spec/object_reader.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <type_traits>

#include <fmt/format.h>

#include "engine/spec/phases/phases.h"
#include "engine/spec/presets.h"
#include "engine/spec/run_fields.h"

namespace trainyard {

namespace {

void applyPreset(FieldReader& reader, ModelSpec& model)
{
    std::string name;
    reader.read("preset", name);
    if (name.empty())
        return;
    if (const auto preset = modelPreset(name)) {
        model = *preset;
        return;
    }
    const std::string nearest = nearestName(name, modelPresetNames());
    reader.complain("preset", "there is no model preset \"" + name + "\"",
                    nearest.empty() ? "see resources/presets/models" : "did you mean \"" + nearest + "\"?");
}

// Another family than the preset's brings its own defaults.
void applyFamily(FieldReader& reader, ModelSpec& model)
{
    ModelFamily family = model.family;
    reader.readEnum("family", family);
    if (family != model.family)
        model.setFamily(family);
}

bool isCount(const nlohmann::json& value)
{
    return value.is_number_unsigned() && value <= std::numeric_limits<int>::max();
}

bool isListOfCounts(const nlohmann::json& value)
{
    return value.is_array() && std::all_of(value.begin(), value.end(), isCount);
}

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
                        "use one of: " + acceptedNames<PartitionKind>() +
                            ", or the layers of each stage, e.g. [3, 4, 4, 3]");
}

/// An optional size of 0 would be taken for an unknown one.
void readSize(FieldReader& reader, const char* key, const FieldInfo& info, Bytes& size)
{
    Bytes read = size;
    if (!reader.readBytes(key, read))
        return;
    if (info.optional && read == 0)
        reader.complain(key, "must be above 0", "leave it out where it is unknown");
    else
        size = read;
}

template <typename Element>
constexpr const char* kListExample = "[ { \"host\": ..., \"slots\": ... } ]";
template <>
constexpr const char* kListExample<PhaseSpec> = "[ { \"name\": ..., \"steps\": ... } ]";
template <>
constexpr const char* kListExample<MixedDataSet> = "[ { \"path\": ..., \"weight\": ... } ]";

/// The fields in the sections of a phase: "batch.global".
std::set<std::string> overriddenIn(const nlohmann::json& phase)
{
    std::set<std::string> named;
    if (!phase.is_object())
        return named;
    for (const auto& [section, fields] : phase.items()) {
        if (!fields.is_object())
            continue;
        for (const auto& [key, value] : fields.items())
            named.insert(section + "." + key);
    }
    return named;
}

/// Sections that a run has and its phases have not.
void complainOfWhatNoPhaseChanges(FieldReader& phase)
{
    for (const char* section :
         {"model", "task", "lora", "cluster", "layout", "precision", "init", "checkpoint"}) {
        if (phase.take(section))
            phase.complain(section, fmt::format("a phase cannot change the {} of its run", section),
                           fmt::format("give \"{}\" at the top level, for all phases", section));
    }
}

/// Without a number of steps a run has those of its phases. Their sum may be too large: validate() says so.
void deriveSteps(FieldReader& run, RunSpec& spec)
{
    const auto* launch = run.take("launch");
    if (spec.phases.empty() || (launch && launch->is_object() && launch->contains("steps")))
        return;
    const std::int64_t steps = stepsOfPhases(spec);
    spec.launch.steps = static_cast<int>(std::min<std::int64_t>(steps, std::numeric_limits<int>::max()));
}

/// Who gives a section without a rank wants adapters, and would get none.
void complainOfNoRank(FieldReader& section, const LoraSpec& lora)
{
    if (lora.rank == 0)
        section.complain("rank", section.has("rank") ? "is 0" : "is missing",
                         "give at least 1, or leave section lora out to train every weight");
}
void complainOfNoRank(FieldReader&, const auto&) {}

template <typename Struct>
struct ObjectReader {
    FieldReader& reader;
    Struct& object;
    Diagnostics& diagnostics;

    template <typename Access>
    void operator()(const char* key, const Access& access, const FieldInfo& info)
    {
        using Member = Accessed<Struct, Access>;
        Member& target = std::invoke(access, object);
        if constexpr (Described<Member>)
            readSection(reader, key, diagnostics, [&](FieldReader& section) {
                read(section, target, diagnostics);
                complainOfNoRank(section, target);
            });
        else if constexpr (std::is_enum_v<Member>)
            reader.readEnum(key, target);
        else if constexpr (std::is_same_v<Member, std::chrono::milliseconds>)
            reader.readDuration(key, target);
        else if constexpr (std::is_same_v<Member, StagePartition>)
            readPartition(reader, key, target);
        else if constexpr (DescribedList<Member>)
            readList(key, target);
        else if constexpr (std::is_same_v<Member, Bytes>)
            info.isSize() ? readSize(reader, key, info, target) : reader.read(key, target);
        else
            reader.read(key, target);
    }
    // What the preset and the family decide comes before the keys that override it.
    void operator()(const char*, std::string ModelSpec::*, const FieldInfo&) { applyPreset(reader, object); }
    void operator()(const char*, ModelFamily ModelSpec::*, const FieldInfo&) { applyFamily(reader, object); }

    static void read(FieldReader& section, auto& target, Diagnostics& diagnostics)
    {
        using Target = std::remove_reference_t<decltype(target)>;
        ObjectReader<Target> fields{section, target, diagnostics};
        describe(fields, Of<Target>());
    }

    template <typename Element>
    void readList(const char* key, std::vector<Element>& elements)
    {
        const auto* list = reader.take(key);
        if (!list)
            return;
        if (!list->is_array()) {
            reader.complain(key, "must be a list", fmt::format("write it as {}", kListExample<Element>));
            return;
        }
        elements.clear();
        for (const auto& json : *list) {
            FieldReader element(json, fmt::format("{}[{}]", reader.pathOf(key), elements.size()),
                                diagnostics);
            readElement(element, json, elements.emplace_back());
            element.finish();
        }
    }

    void readElement(FieldReader& element, const nlohmann::json&, auto& object)
    {
        read(element, object, diagnostics);
    }
    void readElement(FieldReader& element, const nlohmann::json& json, PhaseSpec& phase)
    {
        read(element, phase, diagnostics);
        phase.named = overriddenIn(json);
        if (json.is_object() && !element.has("steps"))
            element.complain("steps", "is missing", "give the steps of the phase");
        complainOfWhatNoPhaseChanges(element);
    }
};

} // namespace

void readObject(FieldReader& reader, RunSpec& spec, Diagnostics& diagnostics)
{
    ObjectReader<RunSpec>::read(reader, spec, diagnostics);
    deriveSteps(reader, spec);
}

void readObject(FieldReader& reader, ModelSpec& model, Diagnostics& diagnostics)
{
    ObjectReader<ModelSpec>::read(reader, model, diagnostics);
}

} // namespace trainyard

#include "engine/spec/layout_change.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/spec/phases/phases.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"

namespace trainyard {

namespace {

using Json = nlohmann::json;

/// Of `phases` only what the other sections have.
constexpr std::string_view kSections[] = {"layout", "memory", "batch", "cluster", "phases"};

std::string headOf(const RunSpec& spec)
{
    return spec.cluster.nodes.empty() ? std::string() : spec.cluster.nodes.front().host;
}

/// What a phase computes: the rest of it says how.
PhaseSpec computedBy(PhaseSpec phase)
{
    phase.memory = {};
    phase.batch = {};
    std::erase_if(phase.named, [](const std::string& field) {
        return field.starts_with("memory.") || field.starts_with("batch.");
    });
    return phase;
}

Status keepsPhases(const RunSpec& before, const RunSpec& after)
{
    const bool same = std::ranges::equal(before.phases, after.phases, {}, computedBy, computedBy);
    return same ? Status()
                : Status(refused("the phases are not those of the run: it would not be the same training",
                                 "keep them, and change only their micro-batches and memory"));
}

/// Of each phase.
std::vector<BatchRampSpec> rampsOf(const RunSpec& spec)
{
    std::vector<BatchRampSpec> ramps;
    for (int phase = 0; phase < phaseCount(spec); ++phase)
        ramps.push_back(specOfPhase(spec, phase).batch.ramp);
    return ramps;
}

/// What the run has to keep.
Status goesOnAs(const RunSpec& before, const RunSpec& after)
{
    TRAINYARD_TRY_STATUS(keepsPhases(before, after));
    for (int phase = 0; phase < phaseCount(before); ++phase) {
        const int is = specOfPhase(after, phase).batch.global;
        const int was = specOfPhase(before, phase).batch.global;
        if (is != was)
            return refused(
                fmt::format("batch.global is {}, and the run has {}: it would not be the same training", is,
                            was),
                "keep it, and change batch.micro and batch.accumulation");
    }
    if (!std::ranges::equal(rampsOf(before), rampsOf(after)))
        return refused("batch.ramp is not that of the run: it would not be the same training", "keep it");
    if (headOf(after) != headOf(before))
        return refused(fmt::format("the first host of cluster.nodes is {}, but {} has the run's records",
                                   headOf(after), headOf(before)),
                       fmt::format("name {} first; the other hosts may change", headOf(before)));
    return {};
}

} // namespace

std::string layoutText(const RunSpec& spec)
{
    const Json whole = Json::parse(toJson(spec));
    Json sections;
    for (const std::string_view name : kSections)
        if (whole.contains(name)) // not without phases
            sections[std::string(name)] = whole.at(std::string(name));
    return sections.dump();
}

Result<RunSpec> withLayout(const RunSpec& spec, std::string_view layout)
{
    const Json sections = Json::parse(layout, nullptr, false);
    if (!sections.is_object())
        return badInput("the layout is no JSON object");
    Json whole = Json::parse(toJson(spec));
    for (const auto& [name, value] : sections.items()) {
        if (std::ranges::find(kSections, name) == std::end(kSections))
            return badInput("the layout has the section " + name + ", which no run changes");
        whole[name] = value;
    }
    const ParsedSpec parsed = parseSpec(whole.dump());
    if (!parsed.diagnostics.empty())
        return toError(parsed.diagnostics);
    TRAINYARD_TRY_STATUS(goesOnAs(spec, parsed.spec));
    if (const Diagnostics wrong = validate(parsed.spec); !wrong.empty())
        return toError(wrong);
    return parsed.spec;
}

bool everyRankHoldsAll(const RunSpec& spec)
{
    if (spec.layout.tensor > 1 || spec.layout.pipeline > 1 || spec.layout.expert > 1)
        return false;
    for (int phase = 0; phase < phaseCount(spec); ++phase) {
        if (specOfPhase(spec, phase).memory.zeroStage > 0)
            return false;
    }
    return true;
}

} // namespace trainyard

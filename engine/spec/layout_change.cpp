#include "engine/spec/layout_change.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"

namespace trainyard {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kSections[] = {"layout", "memory", "batch", "cluster"};

std::vector<std::string> hostsOf(const RunSpec& spec)
{
    std::vector<std::string> hosts;
    for (const NodeSpec& node : spec.cluster.nodes)
        hosts.push_back(node.host);
    return hosts;
}

/// What the run has to keep.
Status goesOnAs(const RunSpec& before, const RunSpec& after)
{
    if (after.batch.global != before.batch.global)
        return refused(
            fmt::format("batch.global is {}, and the run has {}: it would not be the same training",
                        after.batch.global, before.batch.global),
            "keep it, and change batch.micro and batch.accumulation");
    if (hostsOf(after) != hostsOf(before))
        return refused(fmt::format("cluster.nodes names {}, and the run lies on {}",
                                   fmt::join(hostsOf(after), ", "), fmt::join(hostsOf(before), ", ")),
                       "name the same hosts in the same order; their slots may be others");
    return {};
}

} // namespace

std::string layoutText(const RunSpec& spec)
{
    const Json whole = Json::parse(toJson(spec));
    Json sections;
    for (const std::string_view name : kSections)
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
    return spec.layout.tensor == 1 && spec.layout.pipeline == 1 && spec.memory.zeroStage == 0;
}

} // namespace trainyard

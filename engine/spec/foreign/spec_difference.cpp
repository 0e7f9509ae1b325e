#include "engine/spec/foreign/spec_difference.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/spec/spec_json.h"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

struct Difference {
    std::string field;
    std::string value;
};

void collect(const Json& spec, const Json& carried, const std::string& path,
             std::vector<Difference>& differences)
{
    for (const auto& [key, value] : spec.items()) {
        const std::string field = path.empty() ? key : path + "." + key;
        const Json other = carried.value(key, Json());
        if (value.is_object() && other.is_object())
            collect(value, other, field, differences);
        else if (value != other)
            differences.push_back({field, value.dump()});
    }
}

/// One spelling for placements that mean the same.
RunSpec canonical(RunSpec spec)
{
    std::string& placement = spec.layout.placement;
    placement = placement == "DPT" ? "cluster" : placement == "TPD" ? "spread" : placement;
    return spec;
}

Json jsonOf(const RunSpec& spec)
{
    return Json::parse(toJson(canonical(spec)));
}

} // namespace

Omissions fieldsNotCarried(const RunSpec& spec, const RunSpec& carried, Explanations table,
                           std::string_view tool)
{
    std::vector<Difference> differences;
    collect(jsonOf(spec), jsonOf(carried), "", differences);
    Omissions omissions;
    for (const auto& [field, value] : differences) {
        const Explanation* known = explanationOf(field, table);
        omissions.push_back(
            {field, value, known ? std::string(known->reason) : fmt::format("{} has no setting for it", tool),
             known ? std::string(known->advice) : "set it by hand where the run is started"});
    }
    return omissions;
}

ImportBase freshBaseFor(const RunSpec& spec)
{
    return {RunSpec(), spec.layout.worldSize()};
}

} // namespace trainyard

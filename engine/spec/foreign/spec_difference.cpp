#include "engine/spec/foreign/spec_difference.h"

#include <fmt/format.h>

#include "engine/spec/field_changes.h"

namespace trainyard {

namespace {

/// One spelling for placements that mean the same.
RunSpec canonical(RunSpec spec)
{
    std::string& placement = spec.layout.placement;
    placement = placement == "DPT" ? "cluster" : placement == "TPD" ? "spread" : placement;
    return spec;
}

} // namespace

Omissions fieldsNotCarried(const RunSpec& spec, const RunSpec& carried, Explanations table,
                           std::string_view tool)
{
    Omissions omissions;
    for (const auto& [field, value] : changesBetween(canonical(carried), canonical(spec))) {
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

#include "engine/planner/hardware/hardware_presets.h"

#include "engine/base/check.h"
#include "engine/planner/hardware/embedded_nodes.h"
#include "engine/planner/hardware/hardware_json.h"

namespace trainyard {

std::vector<std::string> nodePresetNames()
{
    std::vector<std::string> names;
    for (const EmbeddedFile& file : embeddedNodePresets())
        names.emplace_back(file.name);
    return names;
}

std::optional<NodeModel> nodePreset(std::string_view name)
{
    for (const EmbeddedFile& file : embeddedNodePresets()) {
        if (file.name != name)
            continue;
        ParsedNode parsed = parseNode(file.content);
        TRAINYARD_CHECK_MSG(parsed.diagnostics.empty(),
                            std::string(name) + ": " + toError(parsed.diagnostics).text());
        parsed.node.name = name;
        return std::move(parsed.node);
    }
    return std::nullopt;
}

} // namespace trainyard

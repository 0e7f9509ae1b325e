#include "app/cli/hardware_input.h"

#include "engine/base/file.h"
#include "engine/planner/hardware/hardware_json.h"
#include "engine/planner/hardware/hardware_presets.h"

namespace trainyard {

Result<NodeModel> readHardwareInput(const std::string& hardware)
{
    if (auto preset = nodePreset(hardware))
        return std::move(*preset);
    const auto text = readFile(hardware);
    if (!text.ok())
        return badInput("\"" + hardware + "\" is neither a node preset nor a file that can be read",
                        "see resources/presets/hardware");
    ParsedNode parsed = parseNode(*text);
    if (!parsed.diagnostics.empty())
        return toError(parsed.diagnostics).in(hardware);
    return std::move(parsed.node);
}

} // namespace trainyard
